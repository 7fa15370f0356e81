import { setWorkflowOptions } from '@temporalio/workflow';
import { orderWatch } from './order-watch.ts';
import { reconciliation } from './reconciliation.ts';

/** The workflow types for workers of a deployment; a worker without one must not set a versioning behaviour. */
export * from './index.ts';

// These two do not end while there is work: pinned, they would keep workers of an old build alive for ever. AUTO_UPGRADE replays
// their histories under the current build, so a change of them must keep these replaying (`payouts replay`).
const ENDLESS = { versioningBehavior: 'AUTO_UPGRADE' } as const;
setWorkflowOptions(ENDLESS, orderWatch);
setWorkflowOptions(ENDLESS, reconciliation);
