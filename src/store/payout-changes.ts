import type { Assessment } from '../domain/gates.ts';
import {
  END_STATES,
  type EndState,
  isEnd,
  needsAttention,
  type PayoutState,
  type Reason,
} from '../domain/payout-state.ts';
import type { PaidShown } from '../domain/sent-order.ts';
import type { AuditEntry } from './audit/entry.ts';
import { audit } from './audit-log.ts';
import type { Database } from './engine/database.ts';
import { inShortTransaction, LOCKS, write } from './engine/groups.ts';
import { json } from './engine/json-columns.ts';
import { insertNew } from './engine/row-writes.ts';
import { paidDetail } from './money-detail.ts';
import { announce } from './outbox.ts';
import type { PayoutRecord } from './schema.ts';

export interface PayoutChange {
  /** Term of the writing run: nothing changes unless it holds the claim. Absent: the writer is not a run. */
  term?: number;
  state: PayoutState;
  /** Nothing changes unless the row is in this state; absent: in any without an end. */
  from?: PayoutState;
  reason?: Reason | null;
  orderId?: string;
  fee?: string;
  feeCurrency?: string;
  /** What the row awaits on its account, decimal string; null: unknown. */
  fundsNeeded?: string | null;
  /** With `completed`: the order as the bank shows it; the first one of a payout is kept. */
  paid?: PaidShown;
  /** With an end: its order stays in the open set, since its run has yet to hear of it. */
  staysOpen?: boolean;
  at: number;
}

export interface HeldClaim {
  reference: string;
  term: number;
}

/**
 * Absent keys keep their value; `reason: null` clears it. False, with nothing changed, if the row has an end, is not in the state
 * `from`, or the term is not the holder's.
 */
export async function changePayout(db: Database, reference: string, change: PayoutChange): Promise<boolean> {
  const { state, reason = null, orderId, staysOpen = false, paid, at } = change;
  if (needsAttention(state)) return changeToAttention(db, reference, change);
  if (!isEnd(state)) {
    return write(db, LOCKS.itsRows, async (into) => (await changeRow(into, reference, change)) !== undefined);
  }
  return inShortTransaction(db, LOCKS.logs, async (transaction) => {
    const row = await changeRow(transaction, reference, change);
    if (row === undefined) return false;
    const payee = row.assessed?.beneficiary;
    if (state === 'completed' && payee?.known === true) {
      const { uid } = row;
      const { amount, currency } = row.instruction;
      const { id: payeeId, digest } = payee;
      await insertNew(transaction, 'payeePayments', { reference, uid, payeeId, digest, amount, currency, paidAt: at });
    }
    if (state === 'completed' && paid !== undefined) {
      const { amount = null, currency = null, accountId = null } = paid;
      const seen = { reference, orderId: paid.orderId, amount, currency, accountId, seenAt: at };
      await insertNew(transaction, 'paidOrders', seen);
    }
    if (!staysOpen) await transaction.deleteFrom('openOrders').where('reference', '=', reference).execute();
    const { fee, feeCurrency } = change;
    const money = paid && paidDetail(paid, { fee, feeCurrency });
    await recordEnds(transaction, [{ ...row, reference, state, reason, orderId, money, at }]);
    return true;
  });
}

/** Announces `payout.attention` once for a state and reason, however often the row is written with them. */
function changeToAttention(db: Database, reference: string, change: PayoutChange): Promise<boolean> {
  return inShortTransaction(db, LOCKS.logs, async (transaction) => {
    // One statement that reads and locks: the only way that works on both databases.
    const before = await transaction
      .updateTable('payouts')
      .set((row) => ({ term: row.ref('term') }))
      .where('reference', '=', reference)
      .returning(['state', 'reasonCode'])
      .executeTakeFirst();
    const row = await changeRow(transaction, reference, change);
    if (row === undefined) return false;
    const { state, reason, uid } = row;
    const isKnown = before?.state === state && before.reasonCode === (reason?.code ?? null);
    if (!isKnown && needsAttention(state, reason)) {
      await announce(transaction, { kind: 'payout.attention', subject: reference, uid, at: change.at });
    }
    return true;
  });
}

/** Announces and audits the ends of payouts, as the last step of the transaction that stores them. */
export async function recordEnds(
  transaction: Database,
  ends: readonly (Parameters<typeof endEntry>[0] & Pick<PayoutRecord, 'uid'>)[],
): Promise<void> {
  const events = ends.map(({ reference, uid, at }) => ({ kind: 'payout.ended' as const, subject: reference, uid, at }));
  await announce(transaction, events);
  await audit(transaction, ends.map(endEntry));
}

/** Audit entry of an end: its reason tells what the bank showed or people decided. */
function endEntry({
  reference,
  state,
  reason,
  orderId,
  by,
  at,
  assessed,
  money,
}: Pick<PayoutRecord, 'reference'> & {
  /** Absent: the payout was never assessed. */
  assessed?: Assessment | null;
  state: EndState;
  reason: Reason | null;
  orderId?: string | null;
  by?: string;
  /** Of the paid order, as the bank shows it. */
  money?: Readonly<Record<string, string>>;
  at: number;
}): AuditEntry {
  const policy = assessed?.policyHash;
  const said = { ...(reason && { code: reason.code, why: reason.message }), ...(orderId && { orderId }) };
  const detail = { ...said, ...money, ...(policy !== undefined && { policy }) };
  return { at, actor: by ?? 'product', action: `payout ${state}`, subject: reference, detail };
}

/** Columns that say which state a row is in, why, and since when. */
export const stateColumns = (state: PayoutState, reason: Reason | null | undefined, at: number) => ({
  state,
  reason: json(reason),
  reasonCode: reason ? reason.code : reason,
  updatedAt: at,
  endedAt: isEnd(state) ? at : undefined,
});

type ChangedRow = Pick<PayoutRecord, (typeof CHANGED)[number]>;

const CHANGED = ['assessed', 'uid', 'instruction', 'state', 'reason'] as const;

/** Each column by its name: a change may come from a workflow of anybody, with members that name others. */
async function changeRow(
  db: Database,
  reference: string,
  { term, state, from, reason, orderId, fee, feeCurrency, fundsNeeded, at }: PayoutChange,
): Promise<ChangedRow | undefined> {
  return db
    .updateTable('payouts')
    .set({ ...stateColumns(state, reason, at), orderId, fee, feeCurrency, fundsNeeded })
    .where('reference', '=', reference)
    .where('state', 'not in', END_STATES)
    .$if(term !== undefined, (query) => query.where('term', '=', term ?? 0))
    .$if(from !== undefined, (query) => query.where('state', '=', from ?? state))
    .returning(CHANGED)
    .executeTakeFirst();
}
