import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { overHttp } from '../../../src/channels/http/words.ts';
import { REASONS } from '../../../src/domain/reasons.ts';
import { INCIDENTS } from '../../../src/domain/reconciliation.ts';
import { ROOT } from '../../docs/architecture/sources.ts';

/** A command or one of its options. */
const VERBS =
  'run|validate|watch|status|report|list|cash|statement|period|match|calendar|recheck|approve|reject|cancel|pause|resume|retry|resolve|transfer|exchange|card|accounts|beneficiaries|orders|reconcile|inbox|incidents|acknowledge|switch|backup|restore|audit|explain|schedule|events|doctor|template|reference|policy';
const COMMAND = new RegExp(`(?<!\\d |many )payouts (?:${VERBS})\\b|(?<![\\w-])--[a-z]|\\bPAYOUTS_SIGNING_KEY`);

const SETTING = /\b(?:PAYOUTS|TEMPORAL)_[A-Z]/;

/** Where a hint is only for the person at the command, or only for who runs the installation: over HTTP it is veiled (500). */
const NEVER_OVER_HTTP = [
  'src/cli/',
  'src/channels/http/gateway-client.ts',
  'src/sandbox/',
  'src/platform/',
  'src/store/',
  'src/channels/pages/',
  'src/channels/folder/',
  'src/activities/',
  'src/people/policy-file.ts',
  // Templates of what is checked below as a whole.
  'src/domain/remedy.ts',
  'src/domain/causes.ts',
  'src/reports/',
];

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name}`)
  .filter((name) => name.endsWith('.ts') && !NEVER_OVER_HTTP.some((prefix) => name.startsWith(prefix)))
  .filter((name) => !name.endsWith('http/words.ts'));

/** String literals of our code that name a command; placeholders stand for an id. */
function literals(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found = [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)];
  return found.map(([, a, b, c]) =>
    (a ?? b ?? c ?? '').replaceAll('\\`', '`').replaceAll(/\$\{[^{}]*(?:\([^()]*\))*[^{}]*\}/g, 'ID'),
  );
}

const hints = sources.flatMap((name) =>
  literals(readFileSync(join(ROOT, name), 'utf8'))
    .filter((text) => COMMAND.test(text) && / /.test(text) && !/\n|^temporal | temporal operator /.test(text))
    .map((text) => [name, text] as const),
);

it('there are texts that name commands', () => expect(hints.length).toBeGreaterThan(40));

it('no text names a command or an option over HTTP', () => {
  const left = hints.map(([name, text]) => `${name}: ${overHttp(text)}`).filter((text) => COMMAND.test(text));
  expect(left).toEqual([]);
});

/** What a finding or a warning says; the texts of `explain` and of documents are not sent. */
const OF_ROWS = sources.filter(
  (name) => /^src\/files\/(?!intake\/)/.test(name) && !/(?:rules|input-columns)\.ts$/.test(name),
);

it('no finding and no warning about a row names a setting of the gateway', () => {
  const texts = OF_ROWS.flatMap((name) => literals(readFileSync(join(ROOT, name), 'utf8')));
  const named = texts.filter((text) => SETTING.test(text) && / /.test(text));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((text) => SETTING.test(overHttp(text)))).toEqual([]);
});

it('what to do about a reason or an incident is said as a request', () => {
  const remedies = [...Object.values(REASONS), ...Object.values(INCIDENTS)];
  const said = remedies.map(({ todo }) => overHttp(todo.replaceAll(/\bID\b/g, '0190-ab')));
  expect(said.filter((text) => COMMAND.test(text))).toEqual([]);
  expect(said).toContainEqual(expect.stringContaining('`POST /v1/payouts/0190-ab/decisions (approve)`'));
});

it.each([
  ['`payouts list` shows batches.', '`GET /v1/batches` shows batches.'],
  ['payouts report b-1 shows how it ended.', 'GET /v1/batches/b-1 shows how it ended.'],
  ['payouts status 0190ab~12 shows it.', 'GET /v1/find?id=0190ab~12 shows it.'],
  ['Run with --invalid skip to pay only the new rows.', 'POST /v1/batches with invalid=skip to pay only the new rows.'],
  ['Add --by NAME; over HTTP by=NAME, or use a token with a name.', 'Add by=NAME, or use a token with a name.'],
  [
    "Sign with the key of a maker: --key FILE, or PAYOUTS_SIGNING_KEY_FILE. Over HTTP, use a maker's token.",
    "Use a maker's token.",
  ],
  [
    'must be on a host that is allowed (PAYOUTS_CARD_RETURN_HOSTS), without a user',
    'must be on a host that is allowed, without a user',
  ],
  ['payouts retry b-1 --rows 1-3,7', 'POST /v1/batches/b-1/retry'],
  ['payouts approve 01ab --kind held', 'POST /v1/payouts/01ab/decisions (approve)'],
  [
    '`payouts resolve 01ab --action adopt-order` follows it.',
    '`POST /v1/payouts/01ab/resolve (adopt-order)` follows it.',
  ],
])('%s', (text, said) => expect(overHttp(text)).toBe(said));
