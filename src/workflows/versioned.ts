import { setWorkflowOptions } from '@temporalio/workflow';
import { orderWatch } from './order-watch.ts';
import { reconciliation } from './reconciliation.ts';

/** The workflow types as workers of a deployment have them: one without a deployment must not name a versioning behaviour. */
export * from './index.ts';

// They never end while there is work: pinned, they would keep the workers of an old build up for ever. What follows the current
// build replays under it, so a change of these two keeps their histories replaying (`payouts replay`).
const ENDLESS = { versioningBehavior: 'AUTO_UPGRADE' } as const;
setWorkflowOptions(ENDLESS, orderWatch);
setWorkflowOptions(ENDLESS, reconciliation);
