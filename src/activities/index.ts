import { auditRefused, useDecision, weighDecisions } from '../people/decisions/weigh.ts';
import { renewClaim } from '../store/claimed-row.ts';
import { assess } from './assess.ts';
import { approveRows, runBatch, setBatchControl } from './batch.ts';
import { type Bound, bound } from './bound.ts';
import { claimPayment, prepareCard, recordCardState, resumePayment, retrievePayment } from './cards.ts';
import { approveOrder, rejectOrder } from './decide-order.ts';
import type { ActivityDeps, Run } from './deps.ts';
import { findOrder } from './find.ts';
import { closePayout, prepare, recordState } from './payout.ts';
import { readOrder } from './read.ts';
import { planReconciliation, reconcileOrders, resumeUnended } from './reconcile.ts';
import { addBeneficiary, submitExchange, submitPayment, submitTransfer } from './send.ts';
import { toFailures } from './to-failure.ts';
import { awaitBank, awaitFunds, awaitOrderEnd } from './waits.ts';
import { pollOrders } from './watch.ts';

/** Below the one-minute limit of the activity `resumeUnended`; workers and batches find what is left over. */
const RESUME_MS = 30_000;

/** Every activity, under the name by which workflows call it. */
const ACTIVITIES = {
  // What a payout asks about itself. Nothing here moves money, and everything may run again; most run as local activities.
  prepare,
  renewClaim,
  assess,
  weighDecisions,
  auditRefused,
  useDecision,
  recordState,
  closePayout,
  // What a payout sends: each makes at most one POST, recorded before its first byte.
  submitPayment,
  submitTransfer,
  submitExchange,
  addBeneficiary,
  approveOrder,
  rejectOrder,
  // What the bank shows of its orders.
  readOrder,
  findOrder,
  awaitOrderEnd,
  awaitBank,
  awaitFunds,
  pollOrders,
  // Batches, and whatever should be running.
  runBatch,
  setBatchControl,
  approveRows,
  planReconciliation,
  reconcileOrders,
  resumeUnended: (deps: ActivityDeps, { warn }: Run) =>
    resumeUnended(deps, (error, id) => warn('not started', { error, id }), { rowsUntil: deps.now() + RESUME_MS }),
  // Card payments; those that need the card are in `vaultActivities`.
  prepareCard,
  recordCardState,
  resumePayment,
  retrievePayment,
  claimPayment,
};

const LONG: ReadonlySet<keyof typeof ACTIVITIES> = new Set([
  'findOrder',
  'pollOrders',
  'runBatch',
  'approveRows',
  'reconcileOrders',
]);

export type Activities = Bound<typeof ACTIVITIES>;

/** Every activity of the product over one set of dependencies. */
export const createActivities = (deps: ActivityDeps): Activities => toFailures(bound(deps, ACTIVITIES, LONG));
