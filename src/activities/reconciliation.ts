import { cancellationSignal, log } from '@temporalio/activity';
import type { ActivityDeps } from '../services/deps.ts';
import {
  type PlanInput,
  type PlannedKey,
  planReconciliation,
  reconcile,
} from '../services/reconciliation/reconcile.ts';
import { resumeUnended } from '../services/reconciliation/resume-unended.ts';
import { type SweepInput, sweepOrders } from '../services/watch/sweep-orders.ts';
import { longRun } from './caller.ts';
import { withHeartbeats } from './heartbeats.ts';

/** Below the one-minute limit of the activity `resumeUnended`; workers and batches find what is left over. */
const LIMIT_MS = 30_000;

/** Compares orders with the bank, and starts what should be running but is not. */
export const reconciliationActivities = (deps: ActivityDeps) => ({
  sweepOrders: (key: SweepInput) => withHeartbeats(() => sweepOrders(deps, longRun(), key)),
  planReconciliation: (input: PlanInput) => planReconciliation(deps, input),
  reconcileOrders: (key: PlannedKey) => withHeartbeats(() => reconcile(deps, key, cancellationSignal())),
  resumeUnended: () =>
    resumeUnended(deps, (error, id) => log.warn('not started', { error, id }), { rowsUntil: deps.now() + LIMIT_MS }),
});
