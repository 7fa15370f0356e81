/**
 * All operations of a store, each a function over a database, so that others can call it within their transaction. A file that
 * also exports something else names its operations here.
 */
export * from './answers.ts';
export * from './answers.ts';
export * from './attempts.ts';
export * from './audit-log.ts';
export {
  auditAlone as audit,
  auditEntries,
  auditEntriesOf,
  auditLog,
  auditTree,
  entriesOfActions,
  entriesWith,
  entriesWithoutPayout,
  firstEntryOutsideTree,
  numberedEntriesOf,
} from './audit-log.ts';
export * from './batches.ts';
export * from './batches.ts';
export * from './call-budgets.ts';
export { claimBatch, knownClaims, lookAlikes } from './claims.ts';
export { storeRole } from './engine/postgres.ts';
export * from './facts.ts';
export { addFirstKey, addKey, forgetIdentity, identify, identity, policyInForce, recordPolicy } from './identity.ts';
export * from './open-orders.ts';
export * from './open-orders.ts';
export * from './open-orders.ts';
export * from './open-orders.ts';
export * from './outbox.ts';
export { outboxEvents, outboxEventsAt, outboxHead, outboxTail, pruneOutbox } from './outbox.ts';
export * from './past.ts';
export * from './past.ts';
export { recordResumption, resumed, resumptionsSince } from './past.ts';
export * from './payees.ts';
export { notePayee, payeeHistory, payeesOf } from './payees.ts';
export { changePayout } from './payout-changes.ts';
export * from './payout-claims.ts';
export * from './payouts.ts';
export * from './payouts.ts';
export * from './reconciliation.ts';
export * from './reconciliation.ts';
export {
  acknowledgeIncident,
  incidents,
  incidentsOf,
  incidentWith as incident,
  recordIncident,
} from './reconciliation.ts';
export * from './restored.ts';
export * from './signed-decisions.ts';
export { matchingSwitch, openUnder, switches, switchOff, switchOn } from './switches.ts';
