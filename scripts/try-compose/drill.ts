import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, sh, TrialError } from './shell.ts';

/** Rows of each file that is under way while something is killed. */
const ROWS = 60;
/** Exit code of `payouts run` for a file of which every row was taken before. */
const ALREADY_TAKEN = 8;
const TABLE = `const { DatabaseSync } = require('node:sqlite');
const bank = new DatabaseSync('/var/lib/payouts/sandbox.sqlite', { readOnly: true });
console.log(JSON.stringify(bank.prepare('SELECT reference, type, status FROM orders').all()))`;

export interface Profile {
  name: string;
  /** The lines of docs/configuration.md that bring it up; the last pays the example. */
  lines: readonly string[];
  worker: string;
  temporal: string;
}

/** The two profiles, with the commands that a reader of the docs would copy. */
export function profiles(page: string): readonly [Profile, Profile] {
  const section = page.split('\n## docker compose\n')[1]?.split('\n## ')[0] ?? '';
  const [first, second] = [...section.matchAll(/(?:^ {4}\S.*\n)+/gm)].map(([block]) => block.trim().split(/\n */));
  if (first === undefined || second === undefined)
    throw new TrialError('docs/configuration.md has no commands for docker compose');
  return [
    { name: 'default', lines: first, worker: 'worker', temporal: 'temporal' },
    { name: 'full', lines: second, worker: 'workers', temporal: 'temporal-server' },
  ];
}

/** Brings the profile up, pays, kills, restarts, counts and takes it down. Throws a `TrialError` unless every row has ended exactly once. */
export function drill(profile: Profile, place: Place, say: (line: string) => void): void {
  const compose = `docker compose --profile ${profile.name}`;
  const pay = profile.lines.at(-1) ?? '';
  const cli = pay.slice(0, pay.lastIndexOf(' run '));
  const up = profile.lines.find((line) => line.includes(' up ')) ?? '';
  const disturbances = [
    ['a worker is killed', `docker kill $(${compose} ps --quiet ${profile.worker} | head -1)`],
    ['Temporal is killed', `${compose} kill ${profile.temporal}`],
    ['everything is taken down and started again', `${compose} down`],
  ] as const;
  const ids = rowsOf(readFileSync(join(place.cwd, 'examples', 'payouts.csv'), 'utf8'));
  try {
    for (const line of profile.lines) {
      say(line);
      sh(line, place);
    }
    for (const [index, [what, disturb]] of disturbances.entries()) {
      const name = `during-${index}.csv`;
      const file = manyRows(index);
      writeFileSync(join(place.cwd, 'examples', name), file);
      ids.push(...rowsOf(file));
      sh(`${cli} run /examples/${name} --yes --detach --allow-look-alikes --key /run/secrets/alice-key`, place);
      const open = batches(cli, place).find((batch) => batch.file === name)?.counts.open;
      say(`${what} while ${open} of ${ROWS} rows are open`);
      sh(disturb, place);
      sh(up, place);
    }
    say('following all of it to its end');
    for (const { batchId } of batches(cli, place)) sh(`${cli} watch ${batchId}`, place);
    say('the example file once more');
    sh(`${pay}; test $? -eq ${ALREADY_TAKEN}`, place);
    const { payouts } = json<{ payouts: Payout[] }>(`${cli} list --state completed --json`, place);
    judge(ids, payouts, json<Order[]>(`${compose} exec sandbox node -e "${TABLE}"`, place));
    say(`each of ${ids.length} rows has ended once, with one order at the bank`);
  } catch (error) {
    say(sh(`${compose} ps --all && ${compose} logs --tail 20 2>&1`, place));
    throw error;
  } finally {
    sh(`${compose} down --volumes`, place);
  }
  const left = ['ps --all', 'volume ls', 'network ls'].map((kind) =>
    sh(`docker ${kind} --quiet --filter label=com.docker.compose.project=${place.env.COMPOSE_PROJECT_NAME}`, place),
  );
  if (left.join('') !== '') throw new TrialError(`down --volumes has left something:\n${left.join('')}`);
}

interface Batch {
  batchId: string;
  file: string;
  counts: { open: number };
}

interface Payout {
  id: string;
  reference: string;
}

interface Order {
  reference: string;
  type: string;
  status: string;
}

const json = <T>(line: string, place: Place): T => JSON.parse(sh(line, place)) as T;

const batches = (cli: string, place: Place): Batch[] => json<{ batches: Batch[] }>(`${cli} list --json`, place).batches;

/** The first column; no field of these files has a line break. */
const rowsOf = (csv: string): string[] =>
  csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(',')));

function manyRows(index: number): string {
  const rows = Array.from(
    { length: ROWS },
    (_, row) => `TRY-${index}-${row},u-1001,acc-u1001-usd,${row + 10}.00,USD,ben-u1001-usd-local,Trial\n`,
  );
  return `id,uid,account_id,amount,currency,beneficiary_id,note\n${rows.join('')}`;
}

/** Throws a `TrialError` unless each row is completed once, each with one order of its reference at the bank, and no other was paid. */
export function judge(ids: readonly string[], payouts: readonly Payout[], orders: readonly Order[]): void {
  same(
    'completed rows',
    payouts.map(({ id }) => id),
    ids,
  );
  same(
    'payments at the bank',
    orders.filter(({ type }) => type === 'PAYMENT').map(({ reference }) => reference),
    payouts.map(({ reference }) => reference),
  );
  const open = orders.filter(({ status }) => status !== 'COMPLETED');
  if (open.length > 0) throw new TrialError(`orders that are not completed: ${JSON.stringify(open)}`);
}

function same(what: string, found: readonly string[], wanted: readonly string[]): void {
  const [left, right] = [[...found].sort(), [...wanted].sort()];
  if (left.length === right.length && left.every((it, index) => it === right[index])) return;
  const missing = right.filter((it) => !left.includes(it));
  const more = left.filter((it, index) => !right.includes(it) || left.indexOf(it) !== index);
  throw new TrialError(`${what}: missing [${missing.join(', ')}], too many [${more.join(', ')}]`);
}
