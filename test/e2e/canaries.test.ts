import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { filesIn, formsOf, type Haystack, processFiles } from '../support/canaries.ts';
import { type CommandHome, openCommandHome } from '../support/command.ts';
import { newFolder } from '../support/new-folder.ts';
import { ownPort } from '../support/own-port.ts';
import { receiveTraces } from '../support/trace-receiver.ts';
import { batchOf } from './documents.ts';
import { csvOf, type Row } from './payout-files.ts';

/**
 * A batch of texts that are nowhere else goes through the whole product, encrypted as it is by default; then every byte that is
 * left is searched for them. `npm run canaries` does it with 10,000.
 */
const CANARIES = Number(process.env.CANARIES ?? 80);
const HANGS_MS = 300_000 + CANARIES * 300;

/** What each of them begins with, by what it is in a row; the number of the row follows, in six digits. */
const MARKS = { name: 'Kanarienvogel', account: '73106482', note: 'Kanariennotiz', address: 'Kanarienweg' } as const;
const OF_A_ROW = Object.keys(MARKS);
const ROWS = Math.ceil(CANARIES / OF_A_ROW.length);

/** Where they may be, and which, as docs/security.md says; each of them must be there. */
const BELONGS: readonly (readonly [what: string, place: RegExp, kinds: readonly string[]])[] = [
  ['the store', /^store\.sqlite/, OF_A_ROW],
  // The other side, which is sent whom to pay, and signs its webhooks by a secret of both.
  ['the bank', /^sandbox\.sqlite/, [...OF_A_ROW, 'webhook secret']],
  ['rows to hand in again', /^reports\/[^/]*-failed\.csv/, OF_A_ROW],
  ['reports without --mask', /^reports\/(?!.*(masked|failed))/, ['name']],
];

const numbered = (mark: string, n: number): string => mark + String(n).padStart(6, '0');

function row(n: number): Row {
  const name = numbered(MARKS.name, n);
  return {
    id: `C-${n}`,
    amount: `${1 + (n % 90)}.00`,
    beneficiary_id: '',
    ...{ beneficiary_type: 'personal', payment_type: 'local', account_name: name, first_name: 'Kim', last_name: name },
    ...{ mobile: '+15550100001', region_country: 'US', aba_routing_code: '000000000' },
    account_no: numbered(MARKS.account, n),
    ...{ address_country: 'US', address_state: 'Sample State', address_city: 'Sample City' },
    address_address1: numbered(MARKS.address, n),
    note: numbered(MARKS.note, n),
  };
}

/** Rows that are paid, some that end otherwise or stay open, and one that is wrong. */
function rows(): Row[] {
  const plain = Array.from({ length: ROWS }, (_, n) => row(n));
  const odd = ['sandbox:fail', 'sandbox:audit', 'sandbox:code-2008', 'sandbox:refund'];
  const wrong = row(ROWS + odd.length);
  return [
    ...plain,
    ...odd.map((note, index) => ({ ...row(ROWS + index), note })),
    { ...wrong, account_no: `${wrong.account_no}-` },
  ];
}

/** Secrets of a process, each in a file that a setting names. */
function secretFiles(): { env: Record<string, string>; secrets: Map<string, Buffer[]> } {
  const folder = newFolder();
  const apiKey = randomBytes(24).toString('hex');
  const apiSecret = randomBytes(24).toString('hex');
  const [codecKey, webhookSecret] = [randomBytes(32), randomBytes(32)];
  const auditKey = generateKeyPairSync('ed25519').privateKey;
  const values = {
    PAYOUTS_API_KEY: apiKey,
    PAYOUTS_API_SECRET: apiSecret,
    PAYOUTS_CODEC_KEYS: `k1:${codecKey.toString('base64')}`,
    PAYOUTS_WEBHOOK_SECRET: `whsec_${webhookSecret.toString('base64')}`,
    PAYOUTS_AUDIT_KEY: auditKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
  const env = Object.entries(values).map(([name, value]) => {
    const file = join(folder, name);
    writeFileSync(file, value, { mode: 0o600 });
    return [`${name}_FILE`, file];
  });
  const asBytes = (key: Buffer): Buffer[] => [key, ...formsOf(key.toString('base64')).values()];
  const secrets = new Map([
    ['API key', [...formsOf(apiKey).values()]],
    ['API secret', [...formsOf(apiSecret).values()]],
    ['codec key', asBytes(codecKey)],
    ['webhook secret', asBytes(webhookSecret)],
    ['audit key', asBytes(Buffer.from(auditKey.export({ format: 'jwk' }).d ?? '', 'base64url'))],
  ]);
  return { env: Object.fromEntries(env), secrets };
}

/** Which kinds are at which place, in any form. */
function found(haystack: Haystack, secrets: ReadonlyMap<string, Buffer[]>): [place: string, kind: string][] {
  const marks = Object.entries(MARKS).map(([kind, mark]) => [kind, [...formsOf(mark).values()]] as const);
  return [...haystack].flatMap(([place, bytes]) =>
    [...marks, ...secrets]
      .filter(([, forms]) => forms.some((form) => bytes.includes(form)))
      .map(([kind]): [string, string] => [place, kind]),
  );
}

const inHome = (home: CommandHome, when: string): [string, Buffer][] =>
  [...filesIn(home.path)].map(([path, bytes]) => [`${relative(home.path, path)}, ${when}`, bytes]);

/** One command after the other, and what each of them has said. */
function speaker(home: CommandHome) {
  const outputs = new Map<string, string>();
  const say = async (...args: string[]) => {
    const ended = await home.payouts(...args);
    outputs.set(`output of ${args.join(' ')}`, ended.stdout + ended.stderr);
    return ended;
  };
  return { outputs, say };
}

it(`${CANARIES} canaries are found nowhere but where they belong`, { timeout: HANGS_MS }, async () => {
  const traces = await receiveTraces();
  onTestFinished(() => traces[Symbol.asyncDispose]());
  const { env, secrets } = secretFiles();
  const ports = [await ownPort(), await ownPort()];
  const home = openCommandHome({
    ...{ PAYOUTS_TIME_SCALE: '0.02', PAYOUTS_LOG_LEVEL: 'trace' },
    ...{ PAYOUTS_METRICS_ADDRESS: `${ports[0]}`, PAYOUTS_TEMPORAL_METRICS_ADDRESS: `${ports[1]}` },
    ...{ PAYOUTS_TRACES_URL: traces.url, PAYOUTS_TRACES_TO_BANK: 'true' },
    ...env,
  });
  onTestFinished(() => home.close());
  const dev = home.start('dev');
  await dev.says(/Up until Ctrl-C/);
  const stack = home.stack();
  for (const fault of [
    { kind: 'drop-after' },
    { kind: 'garbage-after' },
    { kind: 'http', status: 500, commit: true },
  ]) {
    const body = JSON.stringify({ operation: 'transactions.payment', times: 2, ...fault });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${stack?.apiUrl}/__sandbox/faults`, { method: 'POST', headers, body });
    expect(answer.ok).toBe(true);
  }

  const { outputs, say } = speaker(home);
  const file = home.file('canaries.csv', csvOf(rows()));
  expect((await say('validate', file)).code).toBe(3);
  expect((await say('run', file, '--yes', '--invalid', 'skip')).code).toBe(6);
  const { batchId, counts } = batchOf(await home.payouts('status', 'latest', '--json'));
  expect(counts.completed + counts.returned).toBe(ROWS + 1);
  await say('report', batchId);
  await say('report', batchId, '--mask');
  await say('reject', `C-${ROWS + 1}`, '--yes', '--by', 'bob', '--remark', 'no such order');
  for (const words of [
    'list',
    'inbox',
    'incidents',
    'doctor',
    'orders u-1001 USD',
    'beneficiaries u-1001',
    'audit export',
  ])
    await say(...words.split(' '));
  for (const command of ['status', 'audit show']) await say(...command.split(' '), batchId);
  await say('histories', 'pull', '--to', join(home.path, 'histories'));
  for (const port of ports) {
    outputs.set(`metrics at ${port}`, await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  }
  const whileUp = [...inHome(home, 'while up'), ...processFiles(dev.pid), ...processFiles(stack?.temporalPid ?? 0)];
  dev.kill('SIGINT');
  const ended = await dev.ended;
  outputs.set('output and log of dev', ended.stdout + ended.stderr);
  outputs.set('traces', traces.text());

  const haystack: Haystack = new Map([
    ...whileUp,
    ...inHome(home, 'after the end'),
    ...[...outputs].map(([place, text]): [string, Buffer] => [place, Buffer.from(text)]),
  ]);
  const places = found(haystack, secrets);
  const belongs = ([place, kind]: [string, string]): boolean =>
    BELONGS.some(([, pattern, kinds]) => pattern.test(place) && kinds.includes(kind));
  expect(places.filter((it) => !belongs(it))).toEqual([]);

  // They did go through: what belongs somewhere is there, and the bank was sent every one of them.
  for (const [what, pattern, kinds] of BELONGS) {
    const there = new Set(places.filter(([place]) => pattern.test(place)).map(([, kind]) => kind));
    expect([what, [...there].sort()]).toEqual([what, [...kinds].sort()]);
  }
  const books = haystack.get('sandbox.sqlite, after the end')?.toString('latin1') ?? '';
  for (const mark of Object.values(MARKS)) {
    const reported = new Set(books.match(new RegExp(`${mark}\\d{6}`, 'g')));
    expect(Array.from({ length: ROWS }, (_, n) => numbered(mark, n)).filter((canary) => !reported.has(canary))).toEqual(
      [],
    );
  }
  // And what must be without them is not empty: the payouts are in Temporal, the log, the traces and the masked report.
  const { payouts } = batchOf(await home.payouts('status', batchId, '--json'));
  const [{ reference, id } = { reference: '', id: '' }] = payouts;
  const names = (place: string, text: string): boolean =>
    [...haystack].some(([at, bytes]) => at.startsWith(place) && bytes.includes(text));
  for (const place of ['temporal.sqlite', 'output and log of dev', 'traces', 'output of audit export'])
    expect([place, names(place, reference)]).toEqual([place, true]);
  expect([...haystack].some(([at, bytes]) => /^reports\/.*-report-masked\.csv/.test(at) && bytes.includes(id))).toBe(
    true,
  );
  console.log(`${CANARIES} canaries in ${payouts.length} payouts, ${haystack.size} places, ${sizeOf(haystack)} MB`);
});

const sizeOf = (haystack: Haystack): number =>
  Math.round([...haystack.values()].reduce((sum, { length }) => sum + length, 0) / 1e6);

it('a canary is found in every form in which it could lie about', () => {
  const { secrets } = secretFiles();
  for (const mark of [...Object.values(MARKS), secrets.get('API key')?.[0]?.toString() ?? '']) {
    for (const [form, bytes] of formsOf(`${mark}000007`)) {
      const place = `${form} of ${mark}`;
      const hidden = Buffer.concat([Buffer.from('x'.repeat(7)), bytes]);
      expect([place, found(new Map([[place, hidden]]), secrets).length]).toEqual([place, 1]);
    }
  }
});
