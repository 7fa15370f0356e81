/**
 * The product under simulation. Imported only after the hooks stand (`product-hooks.ts`): its imports of the workflow and
 * activity packages of Temporal then mean the modules in `temporal/`.
 */
export { createActivities } from '../../src/activities/index.ts';
export { createBank } from '../../src/api/client.ts';
export { withRequiredDetailsCache } from '../../src/api/required-details-cache.ts';
export { HttpFailure } from '../../src/api/transport.ts';
export { openSenderOn } from '../../src/compose/sender.ts';
export { bindStore } from '../../src/compose/store-binding.ts';
export { loadConfig } from '../../src/config.ts';
export { StoreMismatch } from '../../src/domain/claim.ts';
export { payoutInput, splitInput } from '../../src/domain/instruction.ts';
export { payloadDigest } from '../../src/identity.ts';
export { checkInstruction } from '../../src/rules/check-instruction.ts';
export { looksAtLists } from '../../src/services/reconciliation/list-looks.ts';
export { resumeUnended } from '../../src/services/reconciliation/resume-unended.ts';
export { wakeNeglectedWatches } from '../../src/services/watch/sweep-orders.ts';
export { openDatabase } from '../../src/store/database.ts';
export { StoreIdentityError } from '../../src/store/errors.ts';
export { createStore } from '../../src/store/kysely-store.ts';
export { migrate } from '../../src/store/migrate.ts';
export { nodeSqliteDialect } from '../../src/store/sqlite-dialect.ts';
export { openSqliteFile } from '../../src/store/sqlite-file.ts';
export { orderWatch } from '../../src/workflows/order-watch.ts';
export { payout } from '../../src/workflows/payout.ts';
export { reconciliation } from '../../src/workflows/reconciliation.ts';
