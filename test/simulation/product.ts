/**
 * The product under simulation. Imported only after the hooks stand (`product-hooks.ts`): its imports of the workflow and
 * activity packages of Temporal then mean the modules in `temporal/`.
 */
export { createActivities } from '../../src/activities/index.ts';
export { wakeNeglectedWatches } from '../../src/activities/order-watch.ts';
export { createBank } from '../../src/api/client.ts';
export { withRequiredDetailsCache } from '../../src/api/required-details-cache.ts';
export { HttpFailure } from '../../src/api/transport.ts';
export { checkInstruction } from '../../src/erp/check-instruction.ts';
export { openStore } from '../../src/store/open.ts';
export { orderWatch } from '../../src/workflows/order-watch.ts';
export { payout } from '../../src/workflows/payout.ts';
