import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { PayoutState } from '../../../src/domain/payout-state.ts';
import { openStore } from '../../../src/store/open.ts';
import type { BatchRecord, Store } from '../../../src/store/store.ts';
import { eventTimeOf } from '../../support/event-time.ts';
import { bankOf } from '../bench/payments.ts';
import { PAYOUTS, type Place } from '../bench/place.ts';
import { memoryOf } from './memory.ts';
import { fileOf, LARGE, OTHER, openGround, type Payee, payouts, SETTLED_AFTER_MS } from './place.ts';

/** What was seen of so many payouts that waited at the bank at one time. Times in seconds, sizes in bytes. */
export interface Waiting {
  payouts: number;
  /** The file checked, planned and claimed by `payouts run`. */
  take: number;
  /** Until the bank had accepted the last of them, since the claim. */
  send: number;
  /** From the claim of a file of one row to the first task of its workflow, while the large one was being released. */
  behind: { otherUser: number; sameUser: number };
  /** Of the worker: while all of them wait, and the most ever. */
  memory: { waiting: number; peak: number };
  /** Every open order read from the store, and the whole list from the bank, as a poll of everything does. */
  scan: number;
  /** Files of the store and of Temporal. */
  database: { store: number; temporal: number };
  /** From the moment at which all orders were settled to the first end that was notified, and from there to the last. */
  firstEnd: number;
  drain: number;
}

const POLL_MS = 500;
/** While this part of the large file has been released, and no more than that, the small files are handed over. */
const BEGUN = 0.1;
/** What a payment costs at the sandbox is below that. */
const MONEY_EACH = 20;

/** Puts so many payouts at a bank that settles none of them, measures the one worker, and lets all of them settle at once. */
export async function drill(count: number, say: (line: string) => void): Promise<Waiting> {
  const place = await openGround(WINDOW);
  const store = await openStore(place.productEnv('worker').PAYOUTS_STORE_URL ?? '');
  try {
    return await measured({ place, store, say }, count);
  } finally {
    await store.close();
    await place.end();
  }
}

const WINDOW = 50;

interface Ground {
  place: Place;
  store: Store;
  say(line: string): void;
}

async function measured({ place, store, say }: Ground, count: number): Promise<Waiting> {
  // As a worker is deployed, but for the cap that all of them are to be below.
  const { PAYOUTS_API_RATE: _all, PAYOUTS_API_RATE_PER_USER: _user, ...given } = place.productEnv('worker');
  const env = { ...given, PAYOUTS_OPEN_ORDERS: `${2 * count + 10}` };
  const worker = place.start('worker', [process.execPath, PAYOUTS, 'worker'], env, false);
  await deposit(place, `${count * MONEY_EACH}.00`);
  const seconds = stopwatch();
  const large = await take(place, store, LARGE, count);
  const taken = seconds();
  say(`${count} rows are claimed after ${taken.toFixed(1)} s`);
  await until(async () => (await countsOf(store, large)).released >= Math.min(count * BEGUN, count - 1), worker.pid);
  const otherUser = await behind(place, store, OTHER);
  const sameUser = await behind(place, store, LARGE);
  say(`a file of one row behind it begins after ${otherUser.toFixed(2)} s, of the same user ${sameUser.toFixed(2)} s`);
  const atBank = async (): Promise<boolean> => (await countsOf(store, large)).atBank === count;
  await until(atBank, worker.pid);
  const send = seconds() - taken;
  say(`all of them wait at the bank after ${send.toFixed(0)} s`);
  // What was needed to send them is let go.
  await pause(REST_MS);
  const memory = memoryOf(worker.pid) ?? { now: Number.NaN, peak: Number.NaN };
  const scan = await scanOnce(place, store);
  const database = { store: sizeOf(join(place.dir, 'home'), 'store'), temporal: sizeOf(place.dir, 'temporal') };
  say(`the worker has ${megabytes(memory.now)} MB, a poll of everything takes ${scan.toFixed(2)} s`);
  say(`the store has ${megabytes(database.store)} MB, Temporal's database ${megabytes(database.temporal)} MB`);
  await post(place, 'clock', { advance_ms: 2 * SETTLED_AFTER_MS });
  const settled = stopwatch();
  await until(async () => (await countsOf(store, large)).ended > 0, worker.pid);
  const firstEnd = settled();
  await until(async () => (await countsOf(store, large)).ended === count, worker.pid);
  const drain = settled() - firstEnd;
  say(`all of them have ended ${(firstEnd + drain).toFixed(0)} s after they were settled`);
  return {
    ...{ payouts: count, take: taken, send, behind: { otherUser, sameUser } },
    memory: { waiting: memory.now, peak: memoryOf(worker.pid)?.peak ?? Number.NaN },
    ...{ scan, database, firstEnd, drain },
  };
}

const REST_MS = 10_000;

export const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(0);

const stopwatch = (): (() => number) => {
  const began = performance.now();
  return () => (performance.now() - began) / 1_000;
};

/** Hands a file over and returns its batch, which nobody follows. */
async function take(place: Place, store: Store, payee: Payee, rows: number): Promise<BatchRecord> {
  await payouts(place, ['run', fileOf(place, payee, rows), '--yes', '--detach']);
  const [batch] = await store.batches(1);
  if (batch === undefined) throw new Error('the file is not in the store');
  return batch;
}

/** Seconds from the claim of a file of one row to the first task of its workflow. */
async function behind(place: Place, store: Store, payee: Payee): Promise<number> {
  const batch = await take(place, store, payee, 1);
  for await (const { workflowId } of store.rows(batch.batchId)) {
    for (;;) {
      const at = await firstTaskAt(place, workflowId);
      if (at !== undefined) return (at - batch.createdAt) / 1_000;
      await pause(POLL_MS);
    }
  }
  throw new Error('the file has no row');
}

/** When a worker took the first task of a workflow, epoch ms; undefined: not yet. */
async function firstTaskAt({ client }: Place, workflowId: string): Promise<number | undefined> {
  const history = await client.workflow
    .getHandle(workflowId)
    .fetchHistory()
    .catch(() => undefined);
  return eventTimeOf(history?.events?.find((event) => event.workflowTaskStartedEventAttributes));
}

async function countsOf(store: Store, { batchId }: BatchRecord) {
  const counts = await store.stateCounts(batchId);
  const of = (state: PayoutState): number => counts.get(state) ?? 0;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  for (const state of STRAYED) if (of(state) > 0) throw new Error(`${of(state)} payouts are ${state}`);
  return { released: total - of('received'), atBank: of('processing'), ended: of('completed') };
}

/** Where none of them should ever be. */
const STRAYED = ['failed', 'rejected', 'cancelled', 'needs-operator', 'held', 'awaiting-funds'] as const;

async function until(condition: () => Promise<boolean>, workerId: number): Promise<void> {
  while (!(await condition())) {
    if (memoryOf(workerId) === undefined) throw new Error('the worker has ended');
    await pause(POLL_MS);
  }
}

async function scanOnce(place: Place, store: Store): Promise<number> {
  const key = { uid: LARGE.uid, currency: 'USD' };
  const bank = bankOf(place.bankUrl);
  try {
    const seconds = stopwatch();
    await store.openOrders(key);
    await bank.orders.listAll({ ...key, from: 0 }, { pageSize: PAGE_SIZE });
    return seconds();
  } finally {
    await bank.close();
  }
}

/** The default of PAYOUTS_PAGE_SIZE. */
const PAGE_SIZE = 100;

const deposit = (place: Place, amount: string): Promise<void> =>
  post(place, `accounts/${LARGE.account_id}/deposit`, { amount });

async function post({ bankUrl }: Place, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${bankUrl}/__sandbox/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`the sandbox answered ${response.status} to ${path}`);
}

/** Of the files of a database: itself and what is not in it yet. */
function sizeOf(folder: string, prefix: string): number {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${prefix}.sqlite`));
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
