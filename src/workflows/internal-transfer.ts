import type { PayoutInput } from '../domain/instruction.ts';
import { lead } from './payout.ts';
import type { PayoutResult } from './route/ends.ts';
import { type RunBefore, underClaim } from './route/under-claim.ts';

/** One transfer between two accounts of one currency: `account_id` pays `amount` into `to_account_id`. */
export function internalTransfer(given: PayoutInput, before?: RunBefore): Promise<PayoutResult> {
  return underClaim('transfer', given, before, lead);
}
