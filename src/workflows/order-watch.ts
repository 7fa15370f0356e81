import { ApplicationFailure, continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import { FAILURES } from '../domain/failures.ts';
import { ordersOpenedSignal } from './messages.ts';
import { longRuns } from './proxies.ts';

interface OrderWatchInput {
  uid: string;
  currency: string;
}

/**
 * Watches the orders of one user in one currency: one poll of the list serves every open payout. Started by the first order
 * opened; ends when no order is open and no signal is pending.
 */
export async function orderWatch(input: OrderWatchInput): Promise<void> {
  // Anybody can start a workflow under this id: one without a list to poll would occupy it for ever, and the orders would go
  // unwatched.
  if (typeof input?.uid !== 'string' || typeof input.currency !== 'string') {
    const message = 'a watch is started with {"uid":"...","currency":"..."}';
    throw ApplicationFailure.nonRetryable(message, FAILURES.invalidInput);
  }
  let opened = 0;
  setHandler(
    ordersOpenedSignal,
    () => {
      opened += 1;
    },
    {
      description: 'An order was opened: keep watching. From payouts, no argument.',
    },
  );
  for (;;) {
    const seen = opened;
    const { ended } = await longRuns.pollOrders.executeWithOptions(
      { summary: 'polls the order list for every open payout' },
      [input],
    );
    setCurrentDetails(ended ? 'no open order' : 'open orders are watched');
    if (ended && opened === seen) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof orderWatch>(input);
  }
}
