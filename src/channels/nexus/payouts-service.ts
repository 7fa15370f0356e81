import { operation, service } from 'nexus-rpc';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import type { PayoutCallResult } from '../../domain/payout-call.ts';

/** One payout: the members of a row of a file, each a text, and a decimal as one. `id` with `uid` is the payout for ever. */
export type PayInput = PayoutInstruction;

/**
 * The Nexus service that workflows of other teams call. The same `uid` and `id` again never pays twice: the call ends with the
 * payout that there is. It ends in the payout's end state, or fails if the payout is not taken; a call that is cancelled asks for a
 * cancel, and ends as the payout then does.
 */
export const payoutsService = service('payouts', { pay: operation<PayInput, PayoutCallResult>() });

export type { PayoutCallResult } from '../../domain/payout-call.ts';
