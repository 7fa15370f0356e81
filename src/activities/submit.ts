import type { Claim } from '../domain/claim.ts';
import type { LegKind } from '../domain/sent-order.ts';
import type { AttemptResult } from '../domain/submission.ts';
import { sendOrder } from '../services/sending/send-order.ts';
import { caller } from './caller.ts';
import type { ActivityDeps } from './deps.ts';
import { watchLeaseMs } from './watch-lease.ts';

export interface SubmitInput {
  claim: Claim;
  attempt: number;
}

export const submitActivities = (deps: ActivityDeps) => ({
  submitPayment: (input: SubmitInput): Promise<AttemptResult> => submit(deps, input, 'payment'),
  submitExchange: (input: SubmitInput): Promise<AttemptResult> => submit(deps, input, 'exchange'),
});

/** One attempt; an accepted order is on the row, and in the open set, before the workflow hears of it. */
async function submit(deps: ActivityDeps, { claim, attempt }: SubmitInput, leg: LegKind): Promise<AttemptResult> {
  const { bank, store, now, assertIdentity, executions, settings } = deps;
  const sender = {
    bank,
    store,
    now,
    assertIdentity,
    wakeWatch: executions.wakeWatch,
    watchLeaseMs: watchLeaseMs(deps),
    auditTtlMs: settings.auditTtlMs,
  };
  const result = await sendOrder(sender, caller(), { claim, leg, attempt });
  if (result.outcome !== 'accepted') return result;
  const { orderId } = result;
  const { reference, term } = claim;
  const row =
    leg === 'payment'
      ? { state: 'processing' as const, orderId }
      : { state: 'converting' as const, orderId: undefined };
  await store.changePayout(reference, { ...row, reason: null, term, at: now() });
  return result;
}
