import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { PayoutCallResult } from '../domain/payout-call.ts';
import { callCancel, called } from './proxies.ts';

/**
 * Ends as a payout does that another team's workflow has called for. Cancelled, it asks for a cancel of the payout and still waits
 * for its end, which may be that it is paid.
 */
export async function payoutCall({ reference }: { reference: string }): Promise<PayoutCallResult> {
  const end = () => called.awaitPayoutEnd(reference);
  try {
    return await end();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return CancellationScope.nonCancellable(async () => {
      await callCancel.cancelCalledPayout(reference);
      return end();
    });
  }
}
