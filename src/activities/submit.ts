import type { Claim } from '../domain/claim.ts';
import type { LegKind } from '../domain/sent-order.ts';
import type { AttemptResult } from '../domain/submission.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { sendOrder } from '../services/sending/send-order.ts';
import { caller } from './caller.ts';
import { openSet } from './watch-lease.ts';

export interface SubmitInput {
  claim: Claim;
  attempt: number;
}

export const submitActivities = (deps: ActivityDeps) => ({
  submitPayment: (input: SubmitInput): Promise<AttemptResult> => submit(deps, input, 'payment'),
  submitTransfer: (input: SubmitInput): Promise<AttemptResult> => submit(deps, input, 'transfer'),
  submitExchange: (input: SubmitInput): Promise<AttemptResult> => submit(deps, input, 'exchange'),
});

/** One attempt. */
function submit(deps: ActivityDeps, { claim, attempt }: SubmitInput, leg: LegKind): Promise<AttemptResult> {
  const { bank, assertIdentity, settings } = deps;
  const { auditTtlMs, transferAcrossUsers } = settings;
  const sender = { ...openSet(deps), store: deps.store, bank, assertIdentity, auditTtlMs, transferAcrossUsers };
  return sendOrder(sender, caller(), { claim, leg, attempt });
}
