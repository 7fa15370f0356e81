import type { ExpressionBuilder } from 'kysely';
import { END_STATES, isEnd, PAYOUT_STATES, type PayoutState, type Reason } from '../domain/payout-state.ts';
import { chunks, pagedByRow, ROWS_PER_STATEMENT } from './chunks.ts';
import { payoutRecord } from './records.ts';
import type { Database, Tables } from './schema.ts';
import type { CanaryRow, InFlight, PayoutRecord, SwitchRecord, UserAccount } from './store.ts';
import { COLUMNS, switches } from './switches.ts';

/** States of a claimed row at work before the bank has accepted its order; one that waits for people is in none. */
const UNACCEPTED: readonly PayoutState[] = ['preparing', 'submitting', 'resolving'];
/** The bank has accepted an order of the row: its exchange (`converting`) or its payment. */
const AT_BANK: readonly PayoutState[] = ['converting', 'processing', 'awaiting-bank-approval'];

export async function stateCounts(db: Database, batchId: string): Promise<Map<PayoutState, number>> {
  const counts = await db
    .selectFrom('payouts')
    .select(['state', (row) => row.fn.countAll<number>().as('count')])
    .where('batch_id', '=', batchId)
    .groupBy('state')
    .execute();
  return new Map(counts.map(({ state, count }) => [state, count]));
}

/**
 * One statement: a row that moves on meanwhile is counted before or after its step, never in between. Each part reads a
 * range of an index (`payouts_batch_state`, `payouts_lane`) that holds no closed row and none not yet released.
 */
export async function inFlight(db: Database, batchId: string): Promise<InFlight> {
  const { starting, begun, open } = await db
    .selectNoFrom((parts) => [
      countRows(parts, ['received']).where('batch_id', '=', batchId).where('released_at', '>', 0).as('starting'),
      countRows(parts, UNACCEPTED).where('batch_id', '=', batchId).as('begun'),
      countRows(parts, [...UNACCEPTED, ...AT_BANK]).as('open'),
    ])
    .executeTakeFirstOrThrow();
  return { unaccepted: (starting ?? 0) + (begun ?? 0), openOrders: (starting ?? 0) + (open ?? 0) };
}

function countRows(parts: ExpressionBuilder<Tables, never>, states: readonly PayoutState[]) {
  return parts
    .selectFrom('payouts')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('state', 'in', states);
}

export async function releasable(
  db: Database,
  batchId: string,
  limit: number,
  exceptAccounts: readonly UserAccount[] = [],
): Promise<PayoutRecord[]> {
  const off = await switches(db);
  if (off.some(({ scope }) => scope === 'everything')) return [];
  const rows = await db
    .selectFrom('payouts')
    .selectAll()
    .where('batch_id', '=', batchId)
    .$if(exceptAccounts.length > 0, (query) =>
      query.where((row) =>
        row.and(
          exceptAccounts.map(({ uid, accountId }) =>
            row.or([row('uid', '!=', uid), row('account_id', 'is', null), row('account_id', '!=', accountId)]),
          ),
        ),
      ),
    )
    .$if(off.length > 0, (query) =>
      query.where((row) => row.and(keysByScope(off).map(([scope, keys]) => isNoneOf(row, COLUMNS[scope], keys)))),
    )
    .where('released_at', 'is', null)
    .where('state', 'not in', END_STATES)
    .orderBy('priority')
    .orderBy('row')
    .limit(limit)
    .execute();
  return rows.map(payoutRecord);
}

type Scope = keyof typeof COLUMNS;

function keysByScope(off: readonly SwitchRecord[]): [Scope, string[]][] {
  const scopes = Object.keys(COLUMNS) as Scope[];
  return scopes
    .map((scope): [Scope, string[]] => [scope, off.filter((it) => it.scope === scope).map(({ key }) => key)])
    .filter(([, keys]) => keys.length > 0);
}

function isNoneOf(row: ExpressionBuilder<Tables, 'payouts'>, column: (typeof COLUMNS)[Scope], keys: readonly string[]) {
  return row.or([row(column, 'is', null), row(column, 'not in', keys)]);
}

/**
 * While only canary rows are released, they are those released so far and the first of the rest. Found by two short reads
 * of indexes, however large the batch is.
 */
export async function canaryRows(db: Database, batchId: string, count: number): Promise<CanaryRow[]> {
  const rows = db
    .selectFrom('payouts')
    .select(['reference', 'row', 'state', 'reason_code as reasonCode'])
    .where('batch_id', '=', batchId);
  // Every state by name: the index then leads to the released ones of each.
  const released = await rows.where('state', 'in', PAYOUT_STATES).where('released_at', '>', 0).execute();
  const left = count - released.length;
  if (left <= 0) return released;
  const next = rows.where('released_at', 'is', null).orderBy('priority').orderBy('row').limit(left);
  return [...released, ...(await next.execute())];
}

export async function markScheduled(
  db: Database,
  references: readonly string[],
  reason: Reason,
  at: number,
): Promise<void> {
  for (const some of chunks(references)) {
    await db
      .updateTable('payouts')
      .set({
        state: 'scheduled',
        reason: JSON.stringify(reason),
        reason_code: reason.code,
        released_at: at,
        updated_at: at,
      })
      .where('reference', 'in', some)
      .where('state', '=', 'received')
      .where('claim_run_id', 'is', null)
      .execute();
  }
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

export async function cancelUnreleased(
  db: Database,
  batchId: string,
  claimedAfter: number | null,
  reason: Reason,
  at: number,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('payouts')
    .set({ state: 'cancelled', reason: JSON.stringify(reason), reason_code: reason.code, updated_at: at, ended_at: at })
    .where('batch_id', '=', batchId)
    .where('released_at', 'is', null)
    .where('state', 'not in', END_STATES)
    .$if(claimedAfter !== null, (query) => query.where('created_at', '>', claimedAfter ?? 0))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
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
  const kept = pagedByRow((after) =>
    db
      .selectFrom('payouts')
      .selectAll()
      .where('batch_id', '=', batchId)
      .where('row', '>', after)
      .orderBy('row')
      .limit(ROWS_PER_STATEMENT)
      .execute(),
  );
  for await (const row of kept) yield payoutRecord(row);
}
