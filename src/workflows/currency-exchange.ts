import type { PayoutInput } from '../domain/instruction.ts';
import type { PayoutResult } from './route/ends.ts';
import { ownMove } from './route/own-move.ts';
import { type RunBefore, sharedPlan, underClaim } from './route/under-claim.ts';

/** One stand-alone exchange: buys `amount` of `currency` into `to_account_id`, paid from `account_id`. */
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
