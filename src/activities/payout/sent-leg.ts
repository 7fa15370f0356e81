import type { Claim } from '../../domain/claim.ts';
import { type LegKind, mainLegOf } from '../../domain/names.ts';
import type { ExpectedOrder } from '../../domain/order-judgement.ts';
import type { StoredState } from '../../domain/payout-state.ts';
import { expectedOrder, type SentOrder } from '../../domain/sent-order.ts';
import { orderAsked } from '../../domain/submission.ts';
import { legReference } from '../../store/claimed-row.ts';
import type { PayoutRecord, SendAttempt } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';

/** One of the orders of a payout. */
export interface LegInput {
  claim: Claim;
  leg: LegKind;
  /** State that the row should be in. */
  recorded?: StoredState;
  /** Order ids that the run knows, even if the store has forgotten them. */
  placedIds?: readonly string[];
}

/** What was sent for a leg, and so what the bank must show. */
export interface SentLeg {
  reference: string;
  attempts: SendAttempt[];
  /** Order ids from answers to attempts, and those that this run or an earlier one has followed. */
  ownIds: string[];
  sent: SentOrder | undefined;
  expected: ExpectedOrder;
}

export async function sentLeg(
  { store }: ActivityDeps,
  row: PayoutRecord,
  { leg, placedIds = [] }: LegInput,
): Promise<SentLeg> {
  const reference = legReference(row, leg);
  const attempts = await store.attempts(reference);
  const sent = orderAsked<SentOrder>(attempts);
  const followed = leg === mainLegOf(row.kind) && row.orderId !== null ? [row.orderId] : [];
  const ownIds = [...new Set([...attempts.flatMap(({ orderId }) => orderId ?? []), ...placedIds, ...followed])];
  const expected = expectedOrder(leg, reference, row.instruction, row.assessed, sent);
  return { reference, attempts, ownIds, sent, expected };
}
