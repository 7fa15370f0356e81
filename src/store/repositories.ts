/**
 * All operations of a store, each a function over a database, so that others can call it within their transaction. A file that
 * also exports something else names its operations here.
 */
export * from './answers.ts';
export * from './attempts.ts';
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
} from './audit.ts';
export * from './audit-checkpoints.ts';
export * from './batch-rows.ts';
export * from './batches.ts';
export * from './call-budgets.ts';
export { claimBatch, knownClaims, lookAlikes } from './claims.ts';
export { storeRole } from './engine/roles.ts';
export * from './facts.ts';
export * from './idempotency.ts';
export { addFirstKey, addKey, forgetIdentity, identify, identity, policyInForce, recordPolicy } from './identity.ts';
export { acknowledgeIncident, incidents, incidentsOf, incidentWith as incident, recordIncident } from './incidents.ts';
export * from './lanes.ts';
export * from './list-looks.ts';
export * from './open-orders.ts';
export * from './open-work.ts';
export { outboxEvents, outboxEventsAt, outboxHead, outboxTail, pruneOutbox } from './outbox.ts';
export { recordResumption, resumed, resumptionsSince } from './past.ts';
export * from './payee-checks.ts';
export { notePayee, payeeHistory, payeesOf } from './payees.ts';
export { changePayout } from './payout-changes.ts';
export * from './payout-claims.ts';
export * from './payouts.ts';
export * from './quiet-payouts.ts';
export * from './reconciliation.ts';
export * from './reference-spellings.ts';
export * from './restored.ts';
export * from './senders.ts';
export * from './signed-decisions.ts';
export * from './subscriptions.ts';
export { matchingSwitch, openUnder, switches, switchOff, switchOn } from './switches.ts';
export * from './waiting.ts';
