import type { ActivityDeps } from '../services/deps.ts';
import { type FindOrderInput, findOrder } from '../services/payout/find-order.ts';
import { type ReadOrderInput, readOrder } from '../services/payout/read-order.ts';
import { sharedScans } from '../services/reconciliation/order-scans.ts';
import { caller } from './caller.ts';
import { withHeartbeats } from './heartbeats.ts';

/** Queries about a payout's orders. Their writes to the store may be repeated. */
export const orderActivities = (deps: ActivityDeps, scanOrders = sharedScans(deps.bank, deps.settings.pageSize)) => ({
  readOrder: (input: ReadOrderInput) => readOrder(deps, caller(), input),
  findOrder: (input: FindOrderInput) => withHeartbeats(() => findOrder(deps, scanOrders, caller(), input)),
});
