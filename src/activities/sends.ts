import type { Claim } from '../domain/claim.ts';
import type { LegKind } from '../domain/names.ts';
import type { AttemptResult } from '../domain/submission.ts';
import { addBeneficiary } from './add-beneficiary.ts';
import { caller, forCaller } from './caller.ts';
import { approveOrder, rejectOrder } from './decide-order.ts';
import type { ActivityDeps } from './deps.ts';
import { sendOrder } from './send.ts';

export interface SubmitInput {
  claim: Claim;
  attempt: number;
  /** Number of the last attempt that may have left, as far as the run knows; 0: none. */
  lastLeft: number;
}

/** What a payout sends: each activity makes at most one POST, recorded before its first byte. */
export const sendActivities = (deps: ActivityDeps) => ({
  submitPayment: (input: SubmitInput) => submit(deps, input, 'payment'),
  submitTransfer: (input: SubmitInput) => submit(deps, input, 'transfer'),
  submitExchange: (input: SubmitInput) => submit(deps, input, 'exchange'),
  addBeneficiary: forCaller(deps, addBeneficiary),
  approveOrder: forCaller(deps, approveOrder),
  rejectOrder: forCaller(deps, rejectOrder),
});

const submit = (deps: ActivityDeps, { claim, attempt, lastLeft }: SubmitInput, leg: LegKind): Promise<AttemptResult> =>
  sendOrder(deps, caller(), { claim, leg, attempt, lastLeft });
