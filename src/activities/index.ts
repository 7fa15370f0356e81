import * as decisions from '../people/decisions/verify.ts';
import * as claims from '../store/claimed-row.ts';
import * as assessment from './assess.ts';
import * as batch from './batch.ts';
import { type Bound, bound } from './bound.ts';
import * as cards from './cards.ts';
import * as audit from './decide-order.ts';
import type { ActivityDeps } from './deps.ts';
import * as find from './find.ts';
import * as payout from './payout.ts';
import * as read from './read.ts';
import * as reconcile from './reconcile.ts';
import * as send from './send.ts';
import { toFailures } from './to-failure.ts';
import * as waits from './waits.ts';
import * as watch from './watch.ts';

/** Every activity, under the name of its function, by which workflows call it. */
const ACTIVITIES = {
  // What a payout asks about itself. Nothing here moves money, and everything may run again; most run as local activities.
  prepare: payout.prepare,
  renewClaim: claims.renewClaim,
  assess: assessment.assess,
  verifyDecisions: decisions.verifyDecisions,
  auditRefused: decisions.auditRefused,
  useDecision: decisions.useDecision,
  recordState: payout.recordState,
  closePayout: payout.closePayout,
  // What a payout sends: each makes at most one POST, recorded before its first byte.
  submitPayment: send.submitPayment,
  submitTransfer: send.submitTransfer,
  submitExchange: send.submitExchange,
  addBeneficiary: send.addBeneficiary,
  approveOrder: audit.approveOrder,
  rejectOrder: audit.rejectOrder,
  // What the bank shows of its orders.
  readOrder: read.readOrder,
  findOrder: find.findOrder,
  awaitOrderEnd: waits.awaitOrderEnd,
  awaitBank: waits.awaitBank,
  awaitFunds: waits.awaitFunds,
  pollOrders: watch.pollOrders,
  // Batches, and all that should be running.
  runBatch: batch.runBatch,
  setBatchControl: batch.setBatchControl,
  approveRows: batch.approveRows,
  planReconciliation: reconcile.planReconciliation,
  reconcileOrders: reconcile.reconcileOrders,
  resumeUnended: reconcile.resumeUnended,
  // Card payments; those that need the card are in `vaultActivities`.
  prepareCard: cards.prepareCard,
  recordCardState: cards.recordCardState,
  resumePayment: cards.resumePayment,
  retrievePayment: cards.retrievePayment,
  claimPayment: cards.claimPayment,
};

const LONG: ReadonlySet<keyof typeof ACTIVITIES> = new Set([
  'findOrder',
  'pollOrders',
  'runBatch',
  'approveRows',
  'reconcileOrders',
]);

type Sources = typeof assessment &
  typeof audit &
  typeof batch &
  typeof cards &
  typeof claims &
  typeof decisions &
  typeof find &
  typeof payout &
  typeof read &
  typeof reconcile &
  typeof send &
  typeof waits &
  typeof watch;

/** Taken from the files, so that the definition of a call in a workflow is the function itself. */
export type Activities = Bound<Pick<Sources, keyof typeof ACTIVITIES>>;

/** Every activity of the product over one set of dependencies. */
export const createActivities = (deps: ActivityDeps): Activities => toFailures(bound(deps, ACTIVITIES, LONG));
