import type { Assessment } from '../domain/gates.ts';
import { someAtOnce } from '../domain/iterate.ts';
import { isEnd, isUnpaid } from '../domain/payout-state.ts';
import type { ReasonCode } from '../domain/reasons.ts';
import type { PayoutRecord } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';

// An exchange that buys for rows of its batch is a row of its own, sent as any other. What follows is about the rows that wait for it.

/** The exchange of its batch, unless it is completed; undefined for a row that names none. */
export async function batchExchangeOf(
  store: ActivityDeps['store'],
  { instruction, batchId, uid }: PayoutRecord,
): Promise<Assessment['batchExchange']> {
  const { exchanged_by: reference, account_id, paying_account_id, currency } = instruction;
  if (reference === undefined) return undefined;
  const exchange = await store.payout(reference);
  const { account_id: sells, to_account_id: buysInto, currency: bought } = exchange?.instruction ?? {};
  const isForIt =
    exchange?.kind === 'exchange' &&
    exchange.batchId === batchId &&
    exchange.uid === uid &&
    sells === account_id &&
    buysInto === paying_account_id &&
    bought === currency;
  if (!isForIt) return { is: 'unpaid', reference, says: 'no exchange of this batch has this reference' };
  const { state, documentId } = exchange;
  if (state === 'completed') return undefined;
  // An open one moves on, and what is said of it stays with the row.
  return isUnpaid(state)
    ? { is: 'unpaid', reference, says: `${documentId}, ${state}` }
    : { is: 'open', reference, says: documentId };
}

/** How far the rows of a batch were notified that the exchange which buys for them has ended. */
interface Notified {
  /** References of rows that perhaps have not begun yet. */
  pending: readonly string[];
  /** Row after which to go on. */
  after: number;
  /** Epoch ms: when to begin anew, for a signal may be lost. */
  anewAt: number;
}

/** Lets rows continue once their exchange has ended, in the order of the file, as many at a time as the window has room for. */
export async function notifyOfExchanges(
  deps: ActivityDeps,
  batchId: string,
  exchanges: readonly PayoutRecord[],
  { pending: before, after, anewAt, room }: Notified & { room: () => Promise<number> },
): Promise<Notified> {
  const ended = new Set(exchanges.filter(({ state }) => isEnd(state)).map(({ reference }) => reference));
  if (ended.size === 0 || deps.now() < anewAt) return { pending: before, after, anewAt };
  const isWaiting = ({ state, reasonCode, instruction }: PayoutRecord): boolean =>
    state === 'awaiting-funds' && reasonCode === AWAITING && ended.has(instruction.exchanged_by ?? '');
  const pending = (await deps.store.payoutsOf(before)).filter(isWaiting).map(({ reference }) => reference);
  const limit = Math.min(NOTIFIED_AT_ONCE, (await room()) - pending.length);
  if (limit <= 0) return { pending, after, anewAt: 0 };
  const page = await deps.store.rowPage(batchId, { states: ['awaiting-funds'], isReleased: true, after, limit });
  const rows = page.filter(isWaiting);
  await someAtOnce(rows, AT_ONCE, ({ workflowId }) => deps.executions.readAgain(workflowId));
  return {
    pending: [...pending, ...rows.map(({ reference }) => reference)],
    after: page.at(-1)?.row ?? 0,
    anewAt: page.length > 0 ? 0 : deps.now() + deps.settings.quietCheckMs,
  };
}

const AWAITING = 'awaiting-exchange' satisfies ReasonCode;
const NOTIFIED_AT_ONCE = 500;
const AT_ONCE = 10;

export const NOT_NOTIFIED: Notified = { pending: [], after: 0, anewAt: 0 };
