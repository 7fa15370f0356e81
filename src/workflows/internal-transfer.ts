import type { PayoutInput } from '../domain/instruction.ts';
import type { PayoutResult } from './route/ends.ts';
import { ownMove } from './route/own-move.ts';
import { type RunBefore, sharedPlan, underClaim } from './route/under-claim.ts';

/** One transfer between two accounts of one currency: `account_id` pays `amount` into `to_account_id`. */
export function internalTransfer(given: PayoutInput, before?: RunBefore): Promise<PayoutResult> {
  return underClaim(
    given,
    before,
    ownMove('transfer', (run) => {
      const { currency = '', amount = '' } = run.input;
      return sharedPlan(run, 'submitTransfer', `transfers ${currency} ${amount}`);
    }),
  );
}
