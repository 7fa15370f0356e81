import type { Claim } from '../domain/claim.ts';
import type { LegKind } from '../domain/sent-order.ts';
import type { AttemptResult } from '../domain/submission.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { addBeneficiary } from '../services/sending/add-beneficiary.ts';
import { approveOrder, type OrderDecision, rejectOrder } from '../services/sending/decide-order.ts';
import { openSet } from '../services/sending/open-set.ts';
import { sendOrder } from '../services/sending/send-order.ts';
import { caller } from './caller.ts';

export interface SubmitInput {
  claim: Claim;
  attempt: number;
}

/** What a payout sends: one POST at most in each, recorded before its first byte. */
export const sendActivities = (deps: ActivityDeps) => ({
  submitPayment: (input: SubmitInput) => submit(deps, input, 'payment'),
  submitTransfer: (input: SubmitInput) => submit(deps, input, 'transfer'),
  submitExchange: (input: SubmitInput) => submit(deps, input, 'exchange'),
  addBeneficiary: (input: { claim: Claim }) => addBeneficiary(deps, caller(), input),
  approveOrder: (decision: OrderDecision) => approveOrder(deps, caller(), decision),
  rejectOrder: (decision: OrderDecision & { remark: string }) => rejectOrder(deps, caller(), decision),
});

/** One attempt. */
function submit(deps: ActivityDeps, { claim, attempt }: SubmitInput, leg: LegKind): Promise<AttemptResult> {
  const { bank, store, assertIdentity, settings, checks } = deps;
  const { terms, transferAcrossUsers } = settings;
  const { auditTtlMs, referenceDedupe } = terms;
  const trust = { auditTtlMs, referenceDedupe, transferAcrossUsers };
  const sender = { ...openSet(deps), store, bank, assertIdentity, settings, checks, ...trust };
  return sendOrder(sender, caller(), { claim, leg, attempt });
}
