import type { AuditEntry } from '../audit/entry.ts';
import type { Assessment } from '../domain/gates.ts';
import {
  END_STATES,
  type EndState,
  isEnd,
  needsAttention,
  type PayoutState,
  type Reason,
} from '../domain/payout-state.ts';
import { audit } from './audit.ts';
import type { Database } from './database.ts';
import { json } from './json-columns.ts';
import { leaveOpenSet } from './open-orders.ts';
import { announce } from './outbox.ts';
import { recordPayment } from './payees.ts';
import type { PayoutRecord } from './schema.ts';
import { inShortTransaction, LOCKS, write } from './write-groups.ts';

/** How a row's state is written, and who is told of it. */

export interface PayoutChange {
  /** Of the run that writes: nothing is changed unless it holds the claim. Absent: somebody else than a run. */
  term?: number;
  state: PayoutState;
  reason?: Reason | null;
  orderId?: string;
  fee?: string;
  feeCurrency?: string;
  /** What the row waits for on its account, decimal; null: not known. */
  fundsNeeded?: string | null;
  at: number;
}

/** The run that writes, as holder of the claim. */
export interface HeldClaim {
  reference: string;
  term: number;
}

/**
 * Absent keys of the change keep their value; `reason: null` clears. False, and nothing changed, for a row that has an end and
 * for a term that is not the holder's.
 */
export async function changePayout(db: Database, reference: string, change: PayoutChange): Promise<boolean> {
  const { state, reason = null, orderId, at } = change;
  if (needsAttention(state)) return changeToAttention(db, reference, change);
  if (!isEnd(state)) {
    return write(db, LOCKS.itsRows, async (into) => (await changeRow(into, reference, change)) !== undefined);
  }
  return inShortTransaction(db, LOCKS.logs, async (transaction) => {
    const row = await changeRow(transaction, reference, change);
    if (row === undefined) return false;
    const payee = row.assessed?.beneficiary;
    if (state === 'completed' && payee?.known === true) {
      const { uid, amount, currency } = row;
      const { id: payeeId, digest } = payee;
      await recordPayment(transaction, { reference, uid, payeeId, digest, amount, currency, paidAt: at });
    }
    await leaveOpenSet(transaction, [reference]);
    await recordEnds(transaction, [{ ...row, reference, state, reason, orderId, at }]);
    return true;
  });
}

/** People are called for a state and a reason once, however often the row is written with them. */
function changeToAttention(db: Database, reference: string, change: PayoutChange): Promise<boolean> {
  return inShortTransaction(db, LOCKS.logs, async (transaction) => {
    // Reads and locks in one statement, the one way that both databases know.
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

/** Tells others of the ends of payouts, and the audit what ended them: the last step of the transaction that stores them. */
export async function recordEnds(
  transaction: Database,
  ends: readonly (Parameters<typeof endEntry>[0] & Pick<PayoutRecord, 'uid'>)[],
): Promise<void> {
  const events = ends.map(({ reference, uid, at }) => ({ kind: 'payout.ended' as const, subject: reference, uid, at }));
  await announce(transaction, events);
  await audit(transaction, ends.map(endEntry));
}

/** What ended a payout: what the bank has shown, or what people have said, as its reason tells. */
function endEntry({
  reference,
  state,
  reason,
  orderId,
  by,
  at,
  assessed,
}: Pick<PayoutRecord, 'reference'> & {
  /** Absent: it was never read. */
  assessed?: Assessment | null;
  state: EndState;
  reason: Reason | null;
  orderId?: string | null;
  by?: string;
  at: number;
}): AuditEntry {
  const policy = assessed?.policyHash;
  const said = { ...(reason && { code: reason.code, why: reason.message }), ...(orderId && { orderId }) };
  const detail = { ...said, ...(policy !== undefined && { policy }) };
  return { at, actor: by ?? 'product', action: `payout ${state}`, subject: reference, detail };
}

type ChangedRow = Pick<PayoutRecord, (typeof CHANGED)[number]>;

const CHANGED = ['assessed', 'uid', 'amount', 'currency', 'state', 'reason'] as const;

async function changeRow(
  db: Database,
  reference: string,
  { term, reason, at, ...change }: PayoutChange,
): Promise<ChangedRow | undefined> {
  return db
    .updateTable('payouts')
    .set({
      ...change,
      reason: json(reason),
      reasonCode: reason ? reason.code : reason,
      updatedAt: at,
      endedAt: isEnd(change.state) ? at : undefined,
    })
    .where('reference', '=', reference)
    .where('state', 'not in', END_STATES)
    .$if(term !== undefined, (query) => query.where('term', '=', term ?? 0))
    .returning(CHANGED)
    .executeTakeFirst();
}
