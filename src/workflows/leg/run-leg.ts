import { followOrder } from './follow.ts';
import type { LegResult, OrderLeg } from './order-leg.ts';
import { placeOrder } from './place.ts';

/** Places the order of a leg and follows it to its end. Never interrupted by a cancel. */
export async function runLeg(leg: OrderLeg): Promise<LegResult> {
  const placed = await placeOrder(leg);
  if (placed.kind === 'unpaid') return leg.endedBy({ ...placed, isStored: false });
  if (placed.kind !== 'placed') return placed;
  leg.follows(placed.orderId);
  leg.placedIds = [...new Set([...leg.placedIds, placed.orderId])];
  leg.readsAtOnce = placed.readsAtOnce;
  leg.view.show(leg.plan.following);
  leg.decision = undefined;
  leg.view.inbox.cancelStage = 'open';
  return leg.endedBy(await followOrder(leg));
}
