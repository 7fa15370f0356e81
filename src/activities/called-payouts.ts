import { Context } from '@temporalio/activity';
import type { PayoutCallResult } from '../domain/payout-call.ts';
import { isEnd } from '../domain/payout-state.ts';
import type { Store } from '../store/store.ts';

/** Between two reads of a row; the longer it lasts, the rarer they are. */
const POLL_MS = 200;
const POLL_MAX_MS = 10_000;
const GROWTH = 1.5;

/** For the workflow that ends with a payout. */
export const payoutCallActivities = (store: Store) => ({
  /** Waits for the end of a payout. An activity of a worker that ends is started again by another one. */
  async awaitPayoutEnd(reference: string): Promise<PayoutCallResult> {
    const activity = Context.current();
    for (let ms = POLL_MS; ; ms = Math.min(ms * GROWTH, POLL_MAX_MS)) {
      const result = await endOf(store, reference);
      if (result !== undefined) return result;
      activity.heartbeat();
      await activity.sleep(ms);
    }
  },
});

export type PayoutCallActivities = ReturnType<typeof payoutCallActivities>;

export interface CallCancelActivities {
  /** Asks, as the maker, for what is still possible. */
  cancelCalledPayout(reference: string): Promise<void>;
}

async function endOf(store: Store, reference: string): Promise<PayoutCallResult | undefined> {
  const row = await store.payout(reference);
  // A restored store may lack what has been sent: that says nothing about its end.
  if (row === undefined || !isEnd(row.state)) return undefined;
  const { state, reason, orderId, fee, feeCurrency, instruction } = row;
  const { amount, currency } = instruction;
  return { reference, state, reason, orderId, amount, currency, fee, feeCurrency };
}
