import { attempts, closeUnpaid, finishAttempt, recordAttempt, settleAttempts } from './attempts.ts';
import { audit, auditOf } from './audit.ts';
import * as batchRows from './batch-rows.ts';
import { batch, batches, endCanary, setBatchEnded, setControl, unendedBatches } from './batches.ts';
import { createCardStore } from './cards.ts';
import { claimBatch, claimPayout, knownClaims } from './claims.ts';
import { recordReturn, recordUnaskedOrder, returnsOf } from './facts.ts';
import { batchOfMessage, lookAlikes } from './guards.ts';
import { answerKey, forgetKeys, holdKey, takeKey } from './idempotency.ts';
import { forgetIdentity, identify, identity, storeId } from './identity.ts';
import { acknowledgeIncident, incidents, incidentsOf, recordIncident } from './incidents.ts';
import { fundsNeededAhead, hasSuspectedDuplicate, pausedAccounts } from './lanes.ts';
import { closeOrder, forgetNotice, noteOrder, openOrders } from './open-orders.ts';
import { approvalsOf, changePayout, findPayouts, payout, recordApprovals, recordAssessment } from './payouts.ts';
import { countClosedRun, forgetClosedRuns, quietPayouts } from './quiet-payouts.ts';
import * as reconciliation from './reconciliation.ts';
import { refusedRows } from './refused-rows.ts';
import { hasReplaced, recordRestore, restored } from './restored.ts';
import type { Database } from './schema.ts';
import type { Store } from './store.ts';
import { openUnder, switches, switchOff, switchOn, switchOver } from './switches.ts';
import { endWatch, neglectedWatches, openOrder, touchWatch } from './watches.ts';

/** The store over an open database whose tables are up to date; `close` closes the database. */
export async function createStore(db: Database): Promise<Store> {
  const id = await storeId(db);
  return {
    id,
    cards: createCardStore(db),

    identify: (given) => identify(db, given),
    identity: () => identity(db),
    recordRestore: (restore) => recordRestore(db, restore),
    restored: () => restored(db),
    hasReplaced: (storeId) => hasReplaced(db, storeId),
    forgetIdentity: (acceptance) => forgetIdentity(db, acceptance, id),

    claimBatch: (claim) => claimBatch(db, claim),
    knownClaims: (rows) => knownClaims(db, rows),
    lookAlikes: (keys, since) => lookAlikes(db, keys, since),
    batchOfMessage: (messageId) => batchOfMessage(db, messageId),
    refusedRows: (batchId) => refusedRows(db, batchId),
    claimPayout: (claim) => claimPayout(db, claim),

    payout: (reference) => payout(db, reference),
    changePayout: (reference, change) => changePayout(db, reference, change),
    quietPayouts: (scope, when, page) => quietPayouts(db, scope, when, page),
    countClosedRun: (reference, before, after) => countClosedRun(db, reference, before, after),
    forgetClosedRuns: (reference) => forgetClosedRuns(db, reference),
    findPayouts: (id, limit) => findPayouts(db, id, limit),

    recordAssessment: (claim, assessed) => recordAssessment(db, claim, assessed),
    recordApprovals: (approvals) => recordApprovals(db, approvals),
    approvalsOf: (reference, digest) => approvalsOf(db, reference, digest),

    recordAttempt: (attempt) => recordAttempt(db, attempt),
    finishAttempt: (reference, attempt, result) => finishAttempt(db, reference, attempt, result),
    settleAttempts: (reference, settled) => settleAttempts(db, reference, settled),
    closeUnpaid: (end) => closeUnpaid(db, end),
    attempts: (reference) => attempts(db, [reference]),

    openOrder: (request) => openOrder(db, request),
    closeOrder: (reference) => closeOrder(db, reference),
    openOrders: (key) => openOrders(db, key),
    noteOrder: (reference, note) => noteOrder(db, reference, note),
    forgetNotice: (reference) => forgetNotice(db, reference),
    touchWatch: (key, at) => touchWatch(db, key, at),
    endWatch: (key) => endWatch(db, key),
    neglectedWatches: (aliveSince) => neglectedWatches(db, aliveSince),

    batch: (batchId) => batch(db, batchId),
    batches: (limit) => batches(db, limit),
    unendedBatches: () => unendedBatches(db),
    setControl: (batchId, control, reason) => setControl(db, batchId, control, reason),
    endCanary: (batchId) => endCanary(db, batchId),
    setBatchEnded: (batchId, endedAt) => setBatchEnded(db, batchId, endedAt),
    stateCounts: (batchId) => batchRows.stateCounts(db, batchId),
    inFlight: (batchId) => batchRows.inFlight(db, batchId),
    releasable: (batchId, limit, exceptAccounts) => batchRows.releasable(db, batchId, limit, exceptAccounts),
    pausedAccounts: (waitingMax) => pausedAccounts(db, waitingMax),
    hasSuspectedDuplicate: (uid) => hasSuspectedDuplicate(db, uid),
    fundsNeededAhead: (reference) => fundsNeededAhead(db, reference),
    canaryRows: (batchId, count) => batchRows.canaryRows(db, batchId, count),
    markReleased: (references, at) => batchRows.markReleased(db, references, at),
    markScheduled: (references, reason, at) => batchRows.markScheduled(db, references, reason, at),
    cancelUnreleased: (...cancel) => batchRows.cancelUnreleased(db, ...cancel),
    rowsIn: (batchId, states) => batchRows.rowsIn(db, batchId, states),
    rows: (batchId) => batchRows.rows(db, batchId),

    switchOff: (order) => switchOff(db, order),
    switchOn: (order) => switchOn(db, order),
    switches: () => switches(db),
    switchOver: (touched) => switchOver(db, touched),
    openUnder: (off) => openUnder(db, off),

    recordReturn: (entry) => recordReturn(db, entry),
    returnsOf: (references) => returnsOf(db, references),
    recordUnaskedOrder: (entry) => recordUnaskedOrder(db, entry),
    recordIncident: (entry) => recordIncident(db, entry),
    incidentsOf: (references) => incidentsOf(db, references),
    incidents: (which) => incidents(db, which),
    acknowledgeIncident: (id, acknowledgement) => acknowledgeIncident(db, id, acknowledgement),

    payoutsOf: (references) => reconciliation.payoutsOf(db, references),
    payoutsOfOrders: (orderIds) => reconciliation.payoutsOfOrders(db, orderIds),
    attemptsOf: (references) => reconciliation.attemptsOf(db, references),
    documentsOf: (uid, changedSince) => reconciliation.documentsOf(db, uid, changedSince),
    reconciliationKeys: (changedSince, page) => reconciliation.reconciliationKeys(db, changedSince, page),
    batchKeys: (batchId) => reconciliation.batchKeys(db, batchId),

    takeKey: (hold) => takeKey(db, hold),
    holdKey: (held, until) => holdKey(db, held, until),
    answerKey: (held, answer) => answerKey(db, held, answer),
    forgetKeys: (takenBefore) => forgetKeys(db, takenBefore),

    audit: (entry) => audit(db, entry),
    auditOf: (subject) => auditOf(db, subject),

    close: () => db.destroy(),
  };
}
