/**
 * All operations of a store, each a function over a database, so that others can call it within their transaction. A file that
 * also exports something else names its operations here.
 */

export * from './attempts.ts';
export {
  auditAlone as audit,
  auditEntries,
  auditEntriesOf,
  auditLog,
  auditTree,
  auditVerifier,
  checkpoints,
  commentsFor,
  entriesOfActions,
  entriesWith,
  entriesWithoutPayout,
  firstEntryOutsideTree,
  lastCheckpoint,
  markLeft,
  numberedEntriesOf,
  recordAuditVerifier,
  recordCheckpoint,
  rotateAuditVerifier,
  waitingCheckpoints,
} from './audit-log.ts';
export * from './batches.ts';
export { claimBatch, claimPayout, knownClaims, lookAlikes, renewClaim } from './claims.ts';
export { storeRole } from './engine/postgres.ts';
export {
  erasePayeeChecks,
  erasePayees,
  erasePayouts,
  eraseRefusedRows,
  eraseStatement,
  payoutsToErase,
  retentionCounts,
} from './erasure.ts';
export * from './facts.ts';
export {
  acknowledgeIncident,
  batchKeys,
  documentsOf,
  incidents,
  incidentsOf,
  incidentWith as incident,
  narrowReferenceSpellings,
  openIncidentsByBatch,
  reconciliationKeys,
  recordIncident,
  referenceSpellings,
  referencesSentBeginning,
} from './incidents.ts';
export * from './kept-answers.ts';
export * from './notices.ts';
export * from './open-orders.ts';
export {
  forgetSubscription,
  leaseSubscription,
  outboxEvents,
  outboxEventsAt,
  outboxHead,
  outboxTail,
  pruneOutbox,
  recordDeliveryProgress,
  refusedEvents,
  releaseSubscription,
  replaySubscription,
  subscriptions,
} from './outbox.ts';
export * from './past.ts';
export * from './payees.ts';
export { searchPayouts } from './payout-search.ts';
export {
  alikeInBatch,
  approvalsOf,
  approvalsOfMany,
  changePayout,
  decidedBy,
  findPayouts,
  firstClaims,
  payout,
  payoutPages,
  payoutsOf,
  payoutsOfOrders,
  payoutsWithPrefix,
  recordApprovals,
  recordAssessment,
  userOf,
  users,
  waitingPayouts,
} from './payouts.ts';
export {
  balanceSteps,
  closePeriod,
  ledgerEntries,
  ledgerStatements,
  noteBalance,
  periodDocument,
  periodDocuments,
  periodsInForce,
  reopenPeriod,
} from './periods.ts';
export * from './sign-outs.ts';
export * from './signed-decisions.ts';
export * from './statements.ts';
export {
  addFirstKey,
  addKey,
  forgetIdentity,
  identify,
  identity,
  policyInForce,
  recordPolicy,
} from './store-identity.ts';
export { matchingSwitch, openUnder, switches, switchOff, switchOn } from './stored-switches.ts';
export * from './sums.ts';
