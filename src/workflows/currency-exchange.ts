import type { PayoutInput } from '../domain/instruction.ts';
import { lead } from './payout.ts';
import type { PayoutResult } from './route/ends.ts';
import { type RunBefore, underClaim } from './route/under-claim.ts';

/** One stand-alone exchange: buys `amount` of `currency` into `to_account_id`, paid from `account_id`. */
export function currencyExchange(given: PayoutInput, before?: RunBefore): Promise<PayoutResult> {
  return underClaim('exchange', given, before, lead);
}
