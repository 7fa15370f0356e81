import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { ScopeFacts } from '../domain/authority.ts';
import type { OriginalTransaction } from '../domain/bank-message.ts';
import type { Sum } from '../domain/money.ts';
import {
  type BatchControl,
  controlsAtLeastAsPermissive,
  END_STATES,
  isEnd,
  PAYOUT_STATES,
  type PayoutState,
  type Reason,
  type ShownState,
} from '../domain/payout-state.ts';
import { SWITCH_COLUMNS } from '../domain/switch-scope.ts';
import { audit } from './audit-log.ts';
import type { Database } from './engine/database.ts';
import { beginning, chunks, inTransaction, met, pagedByRow, ROWS_PER_STATEMENT } from './engine/database.ts';
import type { UserAccount } from './open-orders.ts';
import { announce } from './outbox.ts';
import { inStates } from './payout-search.ts';
import { recordEnds, stateColumns } from './payouts.ts';
import type { BatchRecord, PayoutRecord, RefusedRowTable, Tables } from './schema.ts';
import { switches } from './stored-switches.ts';

/** Of a batch, in their list by time. */
export type BatchPlace = Pick<BatchRecord, 'createdAt' | 'batchId'>;

export type RefusedRow = Pick<Selectable<RefusedRowTable>, 'row' | 'line' | 'instruction' | 'findings'> & {
  original?: OriginalTransaction;
  reference?: string;
};

export async function batch(db: Database, batchId: string): Promise<BatchRecord | undefined> {
  return db.selectFrom('batches').selectAll().where('batchId', '=', batchId).executeTakeFirst();
}

/** Newest first, after the batch `after` if given. */
export async function batches(db: Database, limit: number, after?: BatchPlace): Promise<BatchRecord[]> {
  return db
    .selectFrom('batches')
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where((row) =>
        row(row.refTuple('createdAt', 'batchId'), '<', row.tuple(after?.createdAt ?? 0, after?.batchId ?? '')),
      ),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('batchId', 'desc')
    .limit(limit)
    .execute();
}

/** Batches whose id begins with `prefix`, newest first. */
export async function batchesBeginning(db: Database, prefix: string, limit: number): Promise<BatchRecord[]> {
  return db
    .selectFrom('batches')
    .selectAll()
    .where(beginning('batchId', prefix), '=', prefix)
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .execute();
}

/** Oldest first. */
export async function unendedBatches(db: Database): Promise<BatchRecord[]> {
  return db
    .selectFrom('batches')
    .selectAll()
    .where('endedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('batchId')
    .execute();
}

/** The latest batch received as a bank message with this id. */
export async function batchOfMessage(db: Database, messageId: string): Promise<BatchRecord | undefined> {
  return db
    .selectFrom('batches')
    .selectAll()
    .where('messageId', '=', messageId)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The traced request that brought a batch, and its number of rows. */
export interface BatchTrace {
  traceparent: string | null;
  total: number;
}

/** Of the batch of a payout; undefined: it has none. */
export async function traceOfBatch(db: Database, workflowId: string): Promise<BatchTrace | undefined> {
  return db
    .selectFrom('payouts')
    .innerJoin('batches', 'batches.batchId', 'payouts.batchId')
    .select(['batches.traceparent', 'batches.total'])
    .where('payouts.workflowId', '=', workflowId)
    .limit(1)
    .executeTakeFirst();
}

/** Refused rows of a batch, in file order, read page by page. */
export async function* refusedRows(db: Database, batchId: string): AsyncGenerator<RefusedRow> {
  const kept = pagedByRow((after) =>
    db
      .selectFrom('refusedRows')
      .selectAll()
      .where('batchId', '=', batchId)
      .where('row', '>', after)
      .orderBy('row')
      .limit(ROWS_PER_STATEMENT)
      .execute(),
  );
  for await (const { batchId: _, original, reference, ...row } of kept) {
    yield { ...row, ...(original && { original }), ...(reference !== null && { reference }) };
  }
}

/** A request to change the control, at epoch ms. `reason`: why the batch pauses itself. */
interface ControlAsked {
  batchId: string;
  control: BatchControl;
  by: string;
  at: number;
  reason?: string;
  /** Only tighten: never release what the current control holds back. */
  onlyTightens?: boolean;
}

/**
 * Sets the control, with an audit entry in any case, and returns the one in force: a cancel is final, later requests are too
 * late. A reason stays until the batch runs again, which then also ends the canary.
 */
export function controlBatch(
  db: Database,
  { batchId, control, by, at, reason, onlyTightens = false }: ControlAsked,
): Promise<BatchControl> {
  return inTransaction(db, async (transaction) => {
    await transaction
      .updateTable('batches')
      .set({ control, controlReason: control === 'running' ? null : reason })
      .$if(control === 'running', (update) =>
        update.set(({ case: when, ref }) => ({
          canary: when().when('controlReason', 'is', null).then(ref('canary')).else(null).end(),
        })),
      )
      .where('batchId', '=', batchId)
      .where('control', '!=', 'cancelling')
      .$if(onlyTightens, (update) => update.where('control', 'in', controlsAtLeastAsPermissive(control)))
      .execute();
    const inForce = (await batch(transaction, batchId))?.control ?? control;
    if (inForce === control && reason !== undefined) {
      await announce(transaction, { kind: 'batch.attention', subject: batchId, uid: null, at });
    }
    const detail = { inForce, ...(reason !== undefined && { reason }) };
    await audit(transaction, { at, actor: by, action: `batch ${control}`, subject: batchId, detail });
    return inForce;
  });
}

/** Ends the canary, so that all rows may be released; with an audit entry. */
export async function endCanary(db: Database, batchId: string, reason: string, at: number): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await transaction.updateTable('batches').set({ canary: null }).where('batchId', '=', batchId).execute();
    await audit(transaction, { at, actor: 'canary', action: 'canary over', subject: batchId, detail: { reason } });
  });
}

/** Ends the batch if every row has an end or is with an operator; false otherwise. */
export async function endBatch(db: Database, batchId: string, endedAt: number): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const open = await transaction
      .selectFrom('payouts')
      .select('reference')
      .where('batchId', '=', batchId)
      .where('state', 'not in', [...END_STATES, 'needs-operator'])
      .executeTakeFirst();
    if (open !== undefined) return false;
    const its = transaction.updateTable('batches').where('batchId', '=', batchId);
    if (await met(its.set({ endedAt }).where('endedAt', 'is', null))) {
      await announce(transaction, { kind: 'batch.ended', subject: batchId, uid: null, at: endedAt });
    }
    return true;
  });
}

/** Reopens a batch of which a row may be in progress again. */
export async function reopenBatch(db: Database, batchId: string): Promise<void> {
  await db.updateTable('batches').set({ endedAt: null }).where('batchId', '=', batchId).execute();
}

export interface InFlight {
  /**
   * Released rows of the batch in progress without an order accepted by the bank; none that waits for a date, money or people.
   */
  unaccepted: number;
  /** Payouts of all batches with an open order at the bank, including those on their way there and `unaccepted`. */
  openOrders: number;
  /** Released rows of this batch that no worker has begun with. */
  waiting: number;
}

/** A row that must be completed before the rest of its batch is released. */
type CanaryRow = Pick<PayoutRecord, 'reference' | 'row' | 'state' | 'reasonCode' | 'instruction'>;

/** States in which a claimed row is in progress and the bank has not accepted its order. Excludes waiting for people. */
const UNACCEPTED: readonly PayoutState[] = ['preparing', 'submitting', 'resolving'];
/** The bank has accepted an order of the row: its exchange (`converting`) or its payment. */
const AT_BANK: readonly PayoutState[] = ['converting', 'processing', 'awaiting-bank-approval'];

/** Distinct users, accounts and currencies of the rows of a batch. */
export async function scopeFactsOfBatch(db: Database, batchId: string): Promise<ScopeFacts[]> {
  const rows = await db
    .selectFrom('payouts')
    .select(['kind', 'uid', 'accountId', 'currency'])
    .distinct()
    .where('batchId', '=', batchId)
    .execute();
  return rows.map(({ kind, uid, accountId, currency }) => ({
    kind,
    uid,
    accounts: [accountId ?? ''],
    currencies: [currency],
  }));
}

/** Of the rows of its file, without its exchanges, as people are shown the states (`shownStateOf`). One statement: nothing moves on in between. */
export async function stateCounts(db: Database, batchId: string): Promise<Map<ShownState, number>> {
  const rows = db.selectFrom('payouts').where('batchId', '=', batchId).groupBy(['state', 'returnedAs']);
  const counted = await rows
    .select(['state', 'returnedAs', (row) => row.fn.countAll<number>().as('count')])
    .unionAll(
      rows
        .where('row', 'is', null)
        .select(['state', 'returnedAs', (row) => sql<number>`-${row.fn.countAll()}`.as('count')]),
    )
    .execute();
  const byState = new Map<ShownState, number>();
  for (const { state, returnedAs, count } of counted) {
    const shown = shownState({ state, returnedAs });
    byState.set(shown, (byState.get(shown) ?? 0) + Number(count));
  }
  return new Map([...byState].filter(([, count]) => count > 0));
}

/** What buys for all rows of a batch, in the order of their documents. */
export async function exchangesOf(db: Database, batchId: string): Promise<PayoutRecord[]> {
  const rows = db.selectFrom('payouts').selectAll().where('batchId', '=', batchId).where('row', 'is', null);
  return rows.orderBy('documentId').execute();
}

/**
 * What fills the window of a batch, and the cap of open orders. One statement: a row that moves on meanwhile is counted before or
 * after its step, never in between. Each part reads an index range (`payouts_batch_state`, `payouts_lane`) without ended and
 * unreleased rows.
 */
export async function inFlight(db: Database, batchId: string): Promise<InFlight> {
  const { starting, begun, open } = await db
    .selectNoFrom((parts) => [
      countRows(parts, ['received']).where('batchId', '=', batchId).where('releasedAt', '>', 0).as('starting'),
      countRows(parts, UNACCEPTED).where('batchId', '=', batchId).as('begun'),
      countRows(parts, [...UNACCEPTED, ...AT_BANK]).as('open'),
    ])
    .executeTakeFirstOrThrow();
  const waiting = starting ?? 0;
  return { waiting, unaccepted: waiting + (begun ?? 0), openOrders: waiting + (open ?? 0) };
}

/** Number of rows of a batch in progress or with an order at the bank, counted up to `upTo`. */
export async function openIn(db: Database, batchId: string, upTo: number): Promise<number> {
  const rows = db.selectFrom('payouts').select('reference').where('batchId', '=', batchId);
  const starting = rows.where('state', '=', 'received').where('releasedAt', '>', 0).limit(upTo);
  const begun = rows.where('state', 'in', [...UNACCEPTED, ...AT_BANK]).limit(upTo);
  const found = [...(await starting.execute()), ...(await begun.execute())];
  return Math.min(upTo, found.length);
}

function countRows(parts: ExpressionBuilder<Tables, never>, states: readonly PayoutState[]) {
  return parts
    .selectFrom('payouts')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('state', 'in', states);
}

/** Unreleased rows by priority and row, except rows of these accounts and rows under a switch that is off. */
export async function releasable(
  db: Database,
  batchId: string,
  limit: number,
  exceptAccounts: readonly UserAccount[] = [],
): Promise<PayoutRecord[]> {
  const off = await switches(db);
  if (off.some(({ scope }) => scope === 'everything')) return [];
  return db
    .selectFrom('payouts')
    .selectAll()
    .where('batchId', '=', batchId)
    .$if(exceptAccounts.length > 0, (query) =>
      query.where((row) =>
        row.or([
          row('accountId', 'is', null),
          // Both columns as one value: SQLite allows no condition of more than a thousand parts.
          row(sql`${row.ref('uid')} || ' ' || ${row.ref('accountId')}`, 'not in', [
            ...new Set(exceptAccounts.map(({ uid, accountId }) => `${uid} ${accountId}`)),
          ]),
        ]),
      ),
    )
    .$if(off.length > 0, (query) =>
      query.where((row) =>
        row.and(
          Object.entries(SWITCH_COLUMNS).flatMap(([scope, column]) => {
            const keys = off.filter((it) => it.scope === scope).map(({ key }) => key);
            return keys.length === 0 ? [] : row.or([row(column, 'is', null), row(column, 'not in', keys)]);
          }),
        ),
      ),
    )
    .where('releasedAt', 'is', null)
    .where('state', 'not in', END_STATES)
    .orderBy('priority')
    .orderBy('row')
    .limit(limit)
    .execute();
}

/**
 * The first `count` rows of a batch in release order, unordered, while no others have been released.
 *
 * While only canary rows are released, they are the released rows and the first unreleased ones. Two short index reads, however
 * large the batch.
 */
export async function canaryRows(db: Database, batchId: string, count: number): Promise<CanaryRow[]> {
  const rows = db
    .selectFrom('payouts')
    .select(['reference', 'row', 'state', 'reasonCode', 'instruction'])
    .where('batchId', '=', batchId);
  // All states are named so that the index is used to find the released rows.
  const released = await rows.where('state', 'in', PAYOUT_STATES).where('releasedAt', '>', 0).execute();
  const left = count - released.length;
  if (left <= 0) return released;
  const next = rows.where('releasedAt', 'is', null).orderBy('priority').orderBy('row').limit(left);
  return [...released, ...(await next.execute())];
}

/** Marks rows whose workflow starts on a later day as released and `scheduled`, unless the workflow has begun. */
export async function markScheduled(
  db: Database,
  references: readonly string[],
  reason: Reason,
  at: number,
): Promise<void> {
  for (const some of chunks(references)) {
    await db
      .updateTable('payouts')
      .set({ ...stateColumns('scheduled', reason, at), releasedAt: at })
      .where('reference', 'in', some)
      .where('state', '=', 'received')
      .where('claimRunId', 'is', null)
      .execute();
  }
}

export async function markReleased(db: Database, references: readonly string[], at: number): Promise<void> {
  for (const some of chunks(references)) {
    await db
      .updateTable('payouts')
      .set({ releasedAt: at, updatedAt: at })
      .where('reference', 'in', some)
      .where('releasedAt', 'is', null)
      .execute();
  }
}

/** Ends unreleased rows as `cancelled`, only those claimed after `claimedAfter` (epoch ms) if it is set; returns how many. */
export async function cancelUnreleased(
  db: Database,
  batchId: string,
  claimedAfter: number | null,
  reason: Reason,
  at: number,
): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const ended = await transaction
      .updateTable('payouts')
      .set(stateColumns('cancelled', reason, at))
      .where('batchId', '=', batchId)
      .where('releasedAt', 'is', null)
      .where('state', 'not in', END_STATES)
      .$if(claimedAfter !== null, (query) => query.where('createdAt', '>', claimedAfter ?? 0))
      .returning(['reference', 'uid'])
      .execute();
    await recordEnds(
      transaction,
      ended.map((row) => ({ ...row, state: 'cancelled', reason, at })),
    );
    return ended.length;
  });
}

/** Released rows without an end in one of these states, in row order. */
export async function rowsIn(db: Database, batchId: string, states: readonly PayoutState[]): Promise<PayoutRecord[]> {
  const wanted = states.filter((state) => !isEnd(state));
  if (wanted.length === 0) return [];
  return db
    .selectFrom('payouts')
    .selectAll()
    .where('batchId', '=', batchId)
    .where('state', 'in', wanted)
    .where('releasedAt', 'is not', null)
    .orderBy('row')
    .execute();
}

interface RowPage {
  states?: readonly ShownState[];
  isReleased?: true;
  after: number;
  /** Instead: the last rows before this one. */
  before?: number;
  limit: number;
}

/** The next rows of a batch after row `after`, in one of these states and released, if that is asked; in row order. */
export async function rowPage(
  db: Database,
  batchId: string,
  { states, isReleased, after, before, limit }: RowPage,
): Promise<PayoutRecord[]> {
  const found = await db
    .selectFrom('payouts')
    .selectAll()
    .where('batchId', '=', batchId)
    .$if(states !== undefined, (query) => query.where((row) => inStates(row, states ?? [])))
    .$if(isReleased === true, (query) => query.where('releasedAt', 'is not', null))
    .where('row', before === undefined ? '>' : '<', before ?? after)
    .orderBy('row', before === undefined ? 'asc' : 'desc')
    .limit(limit)
    .execute();
  return before === undefined ? found : found.reverse();
}

const shownState = ({ state, returnedAs }: Pick<Tables['payouts'], 'state' | 'returnedAs'>): ShownState =>
  state === 'completed' && returnedAs === 'returned' ? 'returned' : state;

/** With the states that people are shown. */
export async function amounts(db: Database, batchId: string, limit: number): Promise<({ state: ShownState } & Sum)[]> {
  const query = db.selectFrom('payouts').select(['state', 'returnedAs', 'instruction']).where('batchId', '=', batchId);
  const found = await query.where('row', 'is not', null).limit(limit).execute();
  return found.map(({ instruction: { amount, currency }, ...row }) => ({ state: shownState(row), amount, currency }));
}

/** What buys for all rows of a batch, then its rows. */
export async function* exchangesThenRows(db: Database, batchId: string): AsyncGenerator<PayoutRecord> {
  yield* await exchangesOf(db, batchId);
  yield* rows(db, batchId);
}

/** All rows of a batch in row order, read page by page. */
export function rows(db: Database, batchId: string): AsyncGenerator<PayoutRecord> {
  return pagedByRow((after) => rowPage(db, batchId, { after, limit: ROWS_PER_STATEMENT }));
}
