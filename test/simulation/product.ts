/**
 * The product under simulation. Imported only after the hooks are in place (`product-hooks.ts`): its imports of the workflow and
 * activity packages of Temporal then mean the modules in `temporal/`.
 */
export { createActivities } from '../../src/activities/index.ts';
export { listReader } from '../../src/activities/lists.ts';
export { startUnended } from '../../src/activities/reconcile.ts';
export { wakeNeglectedWatches } from '../../src/activities/watch.ts';
export { createBank } from '../../src/bank/client.ts';
export { withRequiredDetailsCache } from '../../src/bank/required-details-cache.ts';
export { HttpFailure } from '../../src/bank/transport.ts';
export { StoreMismatch } from '../../src/domain/claim.ts';
export { payloadDigest } from '../../src/domain/identity.ts';
export { payoutInput, splitInput } from '../../src/domain/instruction.ts';
export { checkInstruction } from '../../src/files/rules/check-instruction.ts';
export { loadConfig } from '../../src/platform/config.ts';
export { bindStore } from '../../src/platform/store-binding.ts';
export { openSenderOn } from '../../src/platform/this-sender.ts';
export { openDatabase } from '../../src/store/engine/database.ts';
export { migrate } from '../../src/store/engine/migrate.ts';
export { nodeSqliteDialect, openSqliteFile } from '../../src/store/engine/sqlite.ts';
export { createStore } from '../../src/store/open.ts';
export { StoreIdentityError } from '../../src/store/store-errors.ts';
export { orderWatch } from '../../src/workflows/order-watch.ts';
export { currencyExchange, payout } from '../../src/workflows/payout.ts';
export { reconciliation } from '../../src/workflows/reconciliation.ts';
