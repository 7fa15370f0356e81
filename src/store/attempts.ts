import { END_STATES } from '../domain/payout-state.ts';
import { inDoubt, SENDER_LIFE_MS } from '../domain/submission.ts';
import { sendAttempt } from './records.ts';
import type { Database } from './schema.ts';
import type { AttemptBegun, Closing, SendAttempt, Store, UnpaidEnd } from './store.ts';
import { inTransaction } from './transaction.ts';

type NewAttempt = Parameters<Store['recordAttempt']>[0];

/**
 * A record under a claim and the close of its payout exclude each other on the payout's row: either the close sees the attempt,
 * or the attempt sees that it came too late.
 */
export function recordAttempt(db: Database, attempt: NewAttempt): Promise<AttemptBegun> {
  return inTransaction(db, async (transaction) => {
    const { claim, reference, sentAt } = attempt;
    if (claim !== undefined && !(await holds(transaction, claim, sentAt))) return 'superseded';
    const made = await attempts(transaction, [reference]);
    if (made.some((other) => other.attempt >= attempt.attempt)) return 'taken';
    if (made.some((other) => other.outcome === null && sentAt - other.sentAt < SENDER_LIFE_MS)) return 'live';
    return (await insert(transaction, attempt)) ? 'begun' : 'taken';
  });
}

/** Locks the row of the payout until the end of the transaction, in the one way both databases know. */
async function holds(db: Database, claim: { reference: string; term: number }, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payouts')
    .set({ updated_at: at })
    .where('reference', '=', claim.reference)
    .where('term', '=', claim.term)
    .where('state', 'not in', END_STATES)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

async function insert(db: Database, attempt: NewAttempt): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('send_attempts')
    .values({
      reference: attempt.reference,
      attempt: attempt.attempt,
      run_id: attempt.runId,
      activity_id: attempt.activityId,
      sent_at: attempt.sentAt,
      request: attempt.request === undefined ? null : JSON.stringify(attempt.request),
    })
    .onConflict((conflict) => conflict.columns(['reference', 'attempt']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** What a sender learned counts whoever holds the claim by now; an order that it names contradicts that there was none. */
export async function finishAttempt(
  db: Database,
  reference: string,
  attempt: number,
  result: Parameters<Store['finishAttempt']>[2],
): Promise<void> {
  const opensAgain = result.outcome === 'accepted' || result.outcome === 'exists';
  await db
    .updateTable('send_attempts')
    .set(({ case: when, ref }) => ({
      outcome: result.outcome,
      order_id: result.orderId,
      code: result.code,
      ...(opensAgain && { settled: when().when('settled', '=', 'absent').then(null).else(ref('settled')).end() }),
    }))
    .where('reference', '=', reference)
    .where('attempt', '=', attempt)
    .execute();
}

export async function settleAttempts(
  db: Database,
  reference: string,
  { upTo, as }: { upTo: number; as: NonNullable<SendAttempt['settled']> },
): Promise<void> {
  await db
    .updateTable('send_attempts')
    .set({ settled: as })
    .where('reference', '=', reference)
    .where('attempt', '<=', upTo)
    .execute();
}

/** An unpaid end by compare-and-set: see `Closing`. */
export function closeUnpaid(db: Database, end: UnpaidEnd): Promise<Closing> {
  return inTransaction(db, async (transaction) => {
    if (!(await holds(transaction, end, end.at))) return 'superseded';
    const open = inDoubt(await attempts(transaction, end.references)).filter(
      ({ reference, attempt }) => attempt > (end.settled[reference]?.upTo ?? 0),
    );
    if (open.length > 0) return 'in-doubt';
    for (const [reference, settled] of Object.entries(end.settled)) {
      await settleAttempts(transaction, reference, settled);
    }
    const { state, reason, fee, feeCurrency, at } = end;
    await transaction
      .updateTable('payouts')
      .set({
        state,
        reason: JSON.stringify(reason),
        reason_code: reason.code,
        fee,
        fee_currency: feeCurrency,
        updated_at: at,
        ended_at: at,
      })
      .where('reference', '=', end.reference)
      .execute();
    return 'closed';
  });
}

/** Attempts recorded under any of these references, oldest first. */
export async function attempts(db: Database, references: readonly string[]): Promise<SendAttempt[]> {
  const rows = await db
    .selectFrom('send_attempts')
    .selectAll()
    .where('reference', 'in', references)
    .orderBy('sent_at')
    .orderBy('attempt')
    .execute();
  return rows.map(sendAttempt);
}
