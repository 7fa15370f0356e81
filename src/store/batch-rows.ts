import { END_STATES, isEnd, isSettled, PAYOUT_STATES, type PayoutState, type Reason } from '../domain/payout-state.ts';
import { chunks, ROWS_PER_STATEMENT } from './chunks.ts';
import { payoutRecord } from './records.ts';
import type { Database } from './schema.ts';
import type { PayoutRecord } from './store.ts';

/** States in which a row makes work; a row that waits for a date, money or people leaves its place to the next. */
const WORKING: readonly PayoutState[] = [
  'received',
  'preparing',
  'converting',
  'submitting',
  'resolving',
  'processing',
];
/** States in which a row still asks something of its workflow. */
const UNSETTLED = PAYOUT_STATES.filter((state) => !isSettled(state));

export async function stateCounts(db: Database, batchId: string): Promise<Map<PayoutState, number>> {
  const counts = await db
    .selectFrom('payouts')
    .select(['state', (row) => row.fn.countAll<number>().as('count')])
    .where('batch_id', '=', batchId)
    .groupBy('state')
    .execute();
  return new Map(counts.map(({ state, count }) => [state, count]));
}

export async function inFlight(db: Database, batchId: string): Promise<number> {
  const { count } = await db
    .selectFrom('payouts')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('batch_id', '=', batchId)
    .where('state', 'in', WORKING)
    .where('released_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return count;
}

export async function releasable(
  db: Database,
  batchId: string,
  limit: number,
  exceptAccounts: readonly string[] = [],
): Promise<PayoutRecord[]> {
  const rows = await db
    .selectFrom('payouts')
    .selectAll()
    .where('batch_id', '=', batchId)
    .$if(exceptAccounts.length > 0, (query) =>
      query.where((row) => row.or([row('account_id', 'is', null), row('account_id', 'not in', exceptAccounts)])),
    )
    .where('released_at', 'is', null)
    .where('state', 'not in', END_STATES)
    .orderBy('row')
    .limit(limit)
    .execute();
  return rows.map(payoutRecord);
}

export async function markReleased(db: Database, references: readonly string[], at: number): Promise<void> {
  for (const some of chunks(references)) {
    await db
      .updateTable('payouts')
      .set({ released_at: at, updated_at: at })
      .where('reference', 'in', some)
      .where('released_at', 'is', null)
      .execute();
  }
}

export async function cancelUnreleased(db: Database, batchId: string, reason: Reason, at: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('payouts')
    .set({ state: 'cancelled', reason: JSON.stringify(reason), reason_code: reason.code, updated_at: at, ended_at: at })
    .where('batch_id', '=', batchId)
    .where('released_at', 'is', null)
    .where('state', 'not in', END_STATES)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Longest quiet first. */
export async function quietRows(
  db: Database,
  batchId: string,
  changedBefore: number,
  { afterRow, limit }: { afterRow: number; limit: number },
): Promise<PayoutRecord[]> {
  const rows = await db
    .selectFrom('payouts')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('state', 'in', UNSETTLED)
    .where('released_at', 'is not', null)
    .where('updated_at', '<', changedBefore)
    .where('row', '>', afterRow)
    .orderBy('row')
    .limit(limit)
    .execute();
  return rows.map(payoutRecord);
}

export async function rowsIn(db: Database, batchId: string, states: readonly PayoutState[]): Promise<PayoutRecord[]> {
  const wanted = states.filter((state) => !isEnd(state));
  if (wanted.length === 0) return [];
  const rows = await db
    .selectFrom('payouts')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('state', 'in', wanted)
    .where('released_at', 'is not', null)
    .orderBy('row')
    .execute();
  return rows.map(payoutRecord);
}

export async function* rows(db: Database, batchId: string): AsyncGenerator<PayoutRecord> {
  for (let last = 0; ; ) {
    const page = await db
      .selectFrom('payouts')
      .selectAll()
      .where('batch_id', '=', batchId)
      .where('row', '>', last)
      .orderBy('row')
      .limit(ROWS_PER_STATEMENT)
      .execute();
    yield* page.map(payoutRecord);
    const end = page.at(-1)?.row;
    if (end === undefined || end === null || page.length < ROWS_PER_STATEMENT) return;
    last = end;
  }
}
