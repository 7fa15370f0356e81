import type { PayoutInput } from '../domain/instruction.ts';
import type { PayoutResult } from './route/ends.ts';
import { ownMove } from './route/own-move.ts';
import { type RunBefore, sharedPlan, underClaim } from './route/under-claim.ts';

/** One exchange by itself: buys `amount` of `currency` into `to_account_id`, for what `account_id` has. */
export function currencyExchange(given: PayoutInput, before?: RunBefore): Promise<PayoutResult> {
  return underClaim(
    given,
    before,
    ownMove('exchange', (run) => {
      const { currency = '', amount = '' } = run.input;
      return sharedPlan(run, 'submitExchange', `buys ${currency} ${amount}`);
    }),
  );
}
