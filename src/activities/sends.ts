import type { Claim } from '../domain/claim.ts';
import type { LegKind } from '../domain/names.ts';
import { caller, forCaller, longRun } from './caller.ts';
import type { ActivityDeps } from './deps.ts';
import { type FirstLook, firstLooks, type Submitted } from './payout/first-look.ts';
import { addBeneficiary } from './sending/add-beneficiary.ts';
import { approveOrder, rejectOrder } from './sending/decide-order.ts';
import { sendOrder } from './sending/send-order.ts';

export interface SubmitInput {
  claim: Claim;
  attempt: number;
  /** Number of the last attempt that may have left, as far as the run knows; 0: none. */
  lastLeft: number;
  /**
   * Present if the payout ends with this order and nothing was sent or heard of it before: the order may then be read once more
   * before this returns.
   */
  look?: Pick<FirstLook, 'closedMeans' | 'maxSlippage'>;
}

/** What a payout sends: each activity makes at most one POST, recorded before its first byte. */
export const sendActivities = (deps: ActivityDeps, afterSend = firstLooks(deps)) => ({
  submitPayment: (input: SubmitInput) => submit(deps, afterSend, input, 'payment'),
  submitTransfer: (input: SubmitInput) => submit(deps, afterSend, input, 'transfer'),
  submitExchange: (input: SubmitInput) => submit(deps, afterSend, input, 'exchange'),
  addBeneficiary: forCaller(deps, addBeneficiary),
  approveOrder: forCaller(deps, approveOrder),
  rejectOrder: forCaller(deps, rejectOrder),
});

function submit(
  deps: ActivityDeps,
  afterSend: ReturnType<typeof firstLooks>,
  { claim, attempt, lastLeft, look }: SubmitInput,
  leg: LegKind,
): Promise<Submitted> {
  const run = { caller: caller(), longRun: longRun() };
  const send = () => sendOrder(deps, run.caller, { claim, leg, attempt, lastLeft });
  return afterSend(run, send, look && { ...look, claim, leg });
}
