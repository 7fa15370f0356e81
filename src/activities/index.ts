import { cancellationSignal, log } from '@temporalio/activity';
import type { BatchControl } from '../domain/payout-state.ts';
import { auditRefused, useDecision, weighDecisions } from '../people/decisions/weigh.ts';
import { renewClaim } from '../store/claimed-row.ts';
import { assessPayout } from './assess.ts';
import { approveRows, type PumpInput, pump, setBatchControl } from './batch.ts';
import { caller, forCaller, longRun, withHeartbeats } from './caller.ts';
import { cardActivities } from './cards.ts';
import type { ActivityDeps } from './deps.ts';
import { type FindOrderInput, findOrder } from './find.ts';
import { closePayout, preparePayout, recordState } from './payout.ts';
import { type ReadOrderInput, readOrder } from './read.ts';
import { type PlanInput, type PlannedKey, planReconciliation, reconcile, resumeUnended } from './reconcile.ts';
import { sendActivities } from './sends.ts';
import { toFailures } from './to-failure.ts';
import { waitActivities } from './waits.ts';
import { type SweepInput, sweepOrders } from './watch.ts';

/** Below the one-minute limit of the activity `resumeUnended`; workers and batches find what is left over. */
const RESUME_MS = 30_000;

/** Every activity of the product over one set of dependencies. */
export const createActivities = (deps: ActivityDeps) =>
  toFailures({
    ...payoutActivities(deps),
    ...sendActivities(deps),
    ...orderActivities(deps),
    ...waitActivities(deps),
    ...batchActivities(deps),
    ...reconciliationActivities(deps),
    ...cardActivities(deps),
  });

export type Activities = ReturnType<typeof createActivities>;

/** What a payout asks about itself. Nothing here moves money, and everything may run again; most run as local activities. */
const payoutActivities = (deps: ActivityDeps) => ({
  prepare: forCaller(deps, preparePayout),
  renewClaim: forCaller(deps, renewClaim),
  assess: forCaller(deps, assessPayout),
  weighDecisions: forCaller(deps, weighDecisions),
  auditRefused: forCaller(deps, auditRefused),
  useDecision: forCaller(deps, useDecision),
  recordState: forCaller(deps, recordState),
  closePayout: forCaller(deps, closePayout),
});

/** Queries about a payout's orders. Their writes to the store may be repeated. */
const orderActivities = (deps: ActivityDeps) => ({
  readOrder: (input: ReadOrderInput) => readOrder(deps, caller(), input),
  findOrder: (input: FindOrderInput) => withHeartbeats(() => findOrder(deps, caller(), input)),
});

const batchActivities = (deps: ActivityDeps) => ({
  pumpBatch: (input: PumpInput) => withHeartbeats(() => pump(deps, longRun(), input)),
  setBatchControl: (order: { batchId: string; control: BatchControl; by: string }) => setBatchControl(deps, order),
  approveRows: (order: { batchId: string; by: string; note?: string }) =>
    withHeartbeats(() => approveRows(deps, order)),
});

/** Compares orders with the bank, and starts what should be running but is not. */
const reconciliationActivities = (deps: ActivityDeps) => ({
  sweepOrders: (key: SweepInput) => withHeartbeats(() => sweepOrders(deps, longRun(), key)),
  planReconciliation: (input: PlanInput) => planReconciliation(deps, input),
  reconcileOrders: (key: PlannedKey) => withHeartbeats(() => reconcile(deps, key, cancellationSignal())),
  resumeUnended: () =>
    resumeUnended(deps, (error, id) => log.warn('not started', { error, id }), { rowsUntil: deps.now() + RESUME_MS }),
});
