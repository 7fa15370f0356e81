import { hash } from 'node:crypto';
import type { Bank } from '../../bank/bank.ts';
import type { Order } from '../../bank/schemas/orders.ts';
import { claimedDigest, madeDigest, payloadDigest } from '../../domain/identity.ts';
import {
  CLAIMED,
  COMPLETED,
  type LogDifference,
  type MoneyEntry,
  orderDifferencesFromLog,
  rowDifferences,
  shortened,
} from '../../domain/logged-money.ts';
import { isArrival, isReturn } from '../../domain/order-judgement.ts';
import { DAY_MS } from '../../domain/time.ts';
import {
  KEY_SUBJECT,
  LogKeys,
  type LogVerifier,
  parseCheckpoint,
  type Rotation,
  rotationIn,
  type SignedCheckpoint,
  verifierText,
} from '../../store/audit/checkpoint.ts';
import { ClaimedRows, leafText } from '../../store/audit/entry.ts';
import { checkpointLine, type Leaf, type LogVerdict, verifyLog } from '../../store/audit/verify-log.ts';
import type { CheckpointRecord, NumberedEntry, PayoutRecord, Store } from '../../store/store.ts';

/**
 * Checks a store's log while entries may be appended to it.
 *
 * @param copied checkpoints that are kept elsewhere
 */
export async function verifyStore(
  store: Store,
  verifier: LogVerifier,
  copied: readonly (SignedCheckpoint | { note: string })[],
): Promise<LogVerdict> {
  const checkpoints = [...copied];
  for await (const { note } of store.checkpoints()) checkpoints.push(parseCheckpoint(note) ?? { note });
  // Read after the checkpoints, so that it contains all that they sign.
  const tree = await store.auditTree();
  return verifyLog({
    leaves: leavesOf(store, tree.size),
    verifier,
    rotations: await rotationsIn(store),
    checkpoints,
    tree,
    stray: await store.firstEntryOutsideTree(),
  });
}

/** Entries that replaced the key of the log, with any signer. */
export async function rotationsIn(store: Store): Promise<Rotation[]> {
  const found: Rotation[] = [];
  for (const { seq } of await store.auditEntries({ subject: KEY_SUBJECT })) {
    for await (const page of store.auditLog({ from: seq, to: seq + 1 })) {
      found.push(...page.flatMap((entry) => rotationIn({ seq, text: leafText(entry) }) ?? []));
    }
  }
  return found;
}

async function* leavesOf(store: Store, to: number): AsyncGenerator<Leaf[]> {
  for await (const page of store.auditLog({ from: 0, to })) {
    yield page.map((entry) => ({ seq: entry.seq, text: leafText(entry), hash: entry.leafHash }));
  }
}

/** Lines of an export: the last checkpoint, then the entries that it covers, with each checkpoint after its last entry. */
export async function* exportedLines(store: Store, verifier: LogVerifier): AsyncGenerator<string> {
  const last = await store.lastCheckpoint();
  if (last === undefined) return;
  const all = await Array.fromAsync(store.checkpoints(), ({ note }) => parseCheckpoint(note) ?? { note });
  const keys = new LogKeys(verifier, await rotationsIn(store), all);
  const lineOf = ({ size, note }: CheckpointRecord): string => checkpointLine(note, verifierText(keys.at(size)));
  yield `${lineOf(last)}\n`;
  const checkpoints = store.checkpoints();
  let next = await checkpoints.next();
  for await (const page of store.auditLog({ from: 0, to: last.size })) {
    const lines: string[] = [];
    for (const entry of page) {
      lines.push(leafText(entry));
      while (!next.done && next.value.size <= entry.seq + 1) {
        lines.push(lineOf(next.value));
        next = await checkpoints.next();
      }
    }
    yield `${lines.join('\n')}\n`;
  }
}

/** What was compared, and in what rows and orders differ from the log. */
export interface LogComparison {
  payouts: number;
  /** Completed payouts whose order the bank has shown; null: no bank was asked. */
  orders: number | null;
  differences: LogDifference[];
}

/** Differences that are kept; the others are not searched for. */
const KEPT_MAX = 1_000;

/** Compares every row of the store, and with a bank the orders that it shows, with what the log says of them. */
export async function compareWithLog(store: Store, orderLists?: Bank['orders']): Promise<LogComparison> {
  const differences = [
    ...(await batchDifferences(store)),
    ...(await goneRows(store)),
    ...(await changedPeriods(store)),
  ];
  const orders = orderLists && new ShownOrders(orderLists, await store.firstClaims());
  const compared = { payouts: 0, orders: orders === undefined ? null : 0 };
  for await (const page of store.payoutPages()) {
    const entries = Map.groupBy(
      await store.numberedEntriesOf(page.map(({ reference }) => reference)),
      ({ subject }) => subject,
    );
    for (const row of page) {
      const its = entries.get(row.reference) ?? [];
      compared.payouts += 1;
      differences.push(...differencesOfRow(row, its));
      const order = await orders?.of(row, its);
      if (order === undefined) continue;
      compared.orders = (compared.orders ?? 0) + 1;
      differences.push(...orderDifferencesFromLog(row, its, order));
    }
    if (differences.length >= KEPT_MAX) break;
  }
  return { ...compared, differences: differences.slice(0, KEPT_MAX) };
}

const differencesOfRow = (row: PayoutRecord, its: readonly MoneyEntry[]): LogDifference[] => {
  const left = row.erasedAt === null ? undefined : madeDigest(row.instruction);
  return rowDifferences({ ...row, digest: claimedDigest(row), left }, its);
};

const BATCH_ENTRIES: readonly string[] = ['batch claimed', 'batch retried'];

/** The root over the rows of each claimed batch. */
async function batchDifferences(store: Store): Promise<LogDifference[]> {
  const found: LogDifference[] = [];
  for await (const page of store.entriesWith(BATCH_ENTRIES)) {
    for (const entry of page) found.push(...(await rootDifferences(store, entry)));
  }
  return found;
}

async function rootDifferences(store: Store, { seq, subject, detail }: NumberedEntry): Promise<LogDifference[]> {
  const [claimed, before] = [new ClaimedRows(), { rows: detail.rows ?? '', root: detail.root ?? '' }];
  let count = 0;
  for await (const row of store.rows(subject)) {
    claimed.add(row.reference, claimedDigest(row));
    count += 1;
  }
  const now = { rows: `${count}`, root: claimed.root() };
  return (['rows', 'root'] as const)
    .filter((field) => before[field] !== now[field])
    .map((field) => ({ seq, subject, field, ...shortened(field, before[field], now[field]), where: 'row' }));
}

/**
 * Those of these payouts that are what the log says of them, and whose digests are those of their instructions: the digest stands
 * for what is erased. `batches`: by id whether the rows of a batch are, filled here.
 */
export async function asLogged(
  store: Store,
  rows: readonly PayoutRecord[],
  batches: Map<string, boolean>,
): Promise<PayoutRecord[]> {
  const isWhole = async (batchId: string): Promise<boolean> => {
    const entries = (await store.auditEntries({ subject: batchId })).filter(({ action }) =>
      BATCH_ENTRIES.includes(action),
    );
    const differences = await Promise.all(entries.map((entry) => rootDifferences(store, entry)));
    return entries.length > 0 && differences.flat().length === 0;
  };
  const entries = Map.groupBy(
    await store.numberedEntriesOf(rows.map(({ reference }) => reference)),
    ({ subject }) => subject,
  );
  const found: PayoutRecord[] = [];
  for (const row of rows) {
    const { batchId, instruction, payloadDigest: digest, reference } = row;
    if (batchId !== null && !batches.has(batchId)) batches.set(batchId, await isWhole(batchId));
    const its = entries.get(reference) ?? [];
    const isClaimLogged =
      batchId === null ? its.some(({ action }) => action === CLAIMED) : batches.get(batchId) === true;
    if (!isClaimLogged || digest !== payloadDigest(instruction)) continue;
    if (differencesOfRow(row, its).length === 0) found.push(row);
  }
  return found;
}

/** Documents of closed periods that are not, or not any more, as they were when they were closed. */
async function changedPeriods(store: Store): Promise<LogDifference[]> {
  const found: LogDifference[] = [];
  for await (const page of store.entriesWith(['period closed'])) {
    for (const { seq, subject, detail } of page) {
      const logged = detail.digest ?? '';
      const text = (await store.periodDocument(logged))?.text;
      const is = text === undefined ? '' : hash('sha256', text);
      if (is !== logged)
        found.push({ seq, subject, field: 'digest', ...shortened('digest', logged, is), where: 'row' });
    }
  }
  return found;
}

/** Payouts that the log knows and the store has no more. */
async function goneRows(store: Store): Promise<LogDifference[]> {
  const gone = await store.entriesWithoutPayout(['payout claimed', 'order sent', COMPLETED], KEPT_MAX);
  return gone.map(({ seq, subject, action }) => ({
    ...{ seq, subject, field: 'row', logged: action, found: '', where: 'row' },
  }));
}

/** Orders by the lists of the bank: calls grow with orders a page, not with payouts. */
class ShownOrders {
  readonly #orders: Bank['orders'];
  readonly #lists = new Map<string, Promise<ReadonlyMap<string, Order>>>();
  readonly #since: ReadonlyMap<string, number>;

  constructor(orders: Bank['orders'], firstClaims: readonly { uid: string; createdAt: number }[]) {
    this.#orders = orders;
    this.#since = new Map(firstClaims.map(({ uid, createdAt }) => [uid, createdAt]));
  }

  /** Undefined if the payout is not completed, or a list does not show its order: that proves nothing. */
  async of(row: PayoutRecord, entries: readonly MoneyEntry[]): Promise<Order | undefined> {
    const { uid, orderId, instruction } = row;
    if (orderId === null || !entries.some(({ action }) => action === COMPLETED)) return undefined;
    const key = `${uid} ${instruction.currency}`;
    const list = this.#lists.get(key) ?? this.#read(uid, instruction.currency);
    this.#lists.set(key, list);
    return (await list).get(orderId);
  }

  async #read(uid: string, currency: string): Promise<ReadonlyMap<string, Order>> {
    // The clock of the bank may be behind ours.
    const from = (this.#since.get(uid) ?? DAY_MS) - DAY_MS;
    const { orders } = await this.#orders.listAll({ uid, currency, from });
    const own = orders.filter((order) => !isReturn(order) && !isArrival(order));
    return new Map(own.map((order) => [order.order_id, order]));
  }
}
