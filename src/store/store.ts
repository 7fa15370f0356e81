import type { ClosedRuns } from '../domain/closed-runs.ts';
import type { Assessment } from '../domain/gates.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { BatchControl, PayoutState, Reason } from '../domain/payout-state.ts';
import type { Incident } from '../domain/reconciliation.ts';
import type { SentCardRequest, SentOrder } from '../domain/sent-order.ts';
import type { SwitchedOff, SwitchScope, Touched } from '../domain/switches.ts';
import type { CardStore } from './card-store.ts';
import type {
  AttemptBegun,
  AttemptOutcome,
  AuditEntry,
  BatchClaim,
  BatchRecord,
  CanaryRow,
  ClaimOutcome,
  ClaimRow,
  Closing,
  IdempotencyHold,
  IdempotencyKey,
  IdempotencyTaking,
  InFlight,
  KnownClaim,
  LookAlike,
  OpenOrder,
  OpenOrderRequest,
  PayoutChange,
  PayoutClaim,
  PayoutDocument,
  PayoutRecord,
  ReconciliationKey,
  RefusedRow,
  Restored,
  RestoreRecord,
  ReturnRecord,
  SendAttempt,
  Settled,
  SwitchRecord,
  UnpaidEnd,
  UserAccount,
  WatchKey,
} from './entities.ts';
import type { Acknowledgement, IncidentRecord } from './incidents.ts';
import type { QuietPayout, QuietScope } from './quiet-payouts.ts';
import type { IdentityAcceptance, StoreIdentity } from './store-identity.ts';

export type * from './entities.ts';
export type { Acknowledgement, IncidentRecord } from './incidents.ts';
export type { QuietPayout, QuietScope } from './quiet-payouts.ts';
export type * from './store-identity.ts';

/**
 * The store keeps what must outlive a workflow's retention: who claimed which payout, what was sent under which
 * reference, where every row stands, and who did what. Times are epoch milliseconds and given by the caller.
 */
export interface Store {
  /** Random UUID, made with the store and never changed: which store a claim was made in. A copy of a store has the same. */
  readonly id: string;
  readonly cards: CardStore;

  /**
   * Records each part at first use; afterwards throws `StoreIdentityError` naming the part that differs. Accounts differ when
   * one that is recorded is not among those given; new ones are added.
   */
  identify(parts: Partial<StoreIdentity>): Promise<void>;
  /** The parts that are recorded. */
  identity(): Promise<Partial<StoreIdentity>>;
  /** With an audit entry under the store's id. The next `identify` records these parts anew. */
  forgetIdentity(acceptance: IdentityAcceptance): Promise<void>;
  recordRestore(restore: RestoreRecord): Promise<void>;
  /** The last time this store was put in the place of another one: it may know less than was sent. */
  restored(): Promise<Restored | undefined>;
  /** Whether this store has taken the namespace of that one, by somebody's word that it is gone. */
  hasReplaced(storeId: string): Promise<boolean>;

  // Claims
  /**
   * Claims every row in one transaction: either all rows are new and inserted with state `received`, or nothing is
   * written and every known row is returned. Unique: the reference, and (uid, documentId, generation). Of several claims
   * at once one wins and the others are told what it took. Throws when the claim names a document or a row twice, or the
   * id of a batch with other rows.
   */
  claimBatch(claim: BatchClaim): Promise<ClaimOutcome>;
  /** The claims that exist among these rows, in row order. */
  knownClaims(rows: Iterable<ClaimRow>): Promise<KnownClaim[]>;
  /** The latest payout under each of these keys claimed since (epoch ms), unless it is proven unpaid. */
  lookAlikes(keys: readonly string[], since: number): Promise<LookAlike[]>;
  /** The latest batch that came as a bank message with this id. */
  batchOfMessage(messageId: string): Promise<BatchRecord | undefined>;
  /** Rows of the file of a batch that were refused, in its order, read page by page. */
  refusedRows(batchId: string): AsyncIterable<RefusedRow>;
  /**
   * Takes the claim of one payout for `runId` (state `received` becomes `preparing`): inserts the row when no batch has, takes it over
   * from another run under the next term when the payload is the same and the row has no end, and sets `releasedAt` where the
   * batch had no time to.
   */
  claimPayout(claim: {
    reference: string;
    workflowId: string;
    instruction: PayoutInstruction;
    payloadDigest: string;
    generation: number;
    /** Absent: a payout. */
    kind?: PayoutKind;
    by: string | null;
    runId: string;
    /** Derived references whose attempts are wanted too. */
    derivedReferences: readonly string[];
    at: number;
  }): Promise<PayoutClaim>;

  // Payouts
  payout(reference: string): Promise<PayoutRecord | undefined>;
  /**
   * Absent keys of the change keep their value; `reason: null` clears. False, and nothing changed, for a row that has an end and
   * for a term that is not the holder's.
   */
  changePayout(reference: string, change: PayoutChange): Promise<boolean>;
  /** Batch id, reference, workflow id, order id or document id -> matching payouts, oldest first, at most `limit`. */
  findPayouts(id: string, limit: number): Promise<PayoutRecord[]>;

  /** What the holder of the claim last read; false when it does not hold it any more. */
  recordAssessment(claim: { reference: string; term: number }, assessed: Assessment): Promise<boolean>;
  /** Who approved what is paid under a digest; again changes nothing. */
  recordApprovals(approvals: { reference: string; digest: string; by: readonly string[]; at: number }): Promise<void>;
  approvalsOf(reference: string, digest: string): Promise<string[]>;

  // Send attempts
  /** Durable when it returns. With a claim only its holder begins one, and only for a payout without an end. */
  recordAttempt(attempt: {
    reference: string;
    attempt: number;
    runId: string;
    activityId: string;
    sentAt: number;
    request?: SentOrder | SentCardRequest;
    claim?: { reference: string; term: number };
  }): Promise<AttemptBegun>;
  finishAttempt(
    reference: string,
    attempt: number,
    result: { outcome: AttemptOutcome; orderId?: string; code?: number },
  ): Promise<void>;
  /** What became of the attempts of a reference up to a number. */
  settleAttempts(reference: string, settled: { upTo: number; as: Settled }): Promise<void>;
  /** Stores an unpaid end unless an attempt may have moved money that the run has not settled. */
  closeUnpaid(end: UnpaidEnd): Promise<Closing>;
  attempts(reference: string): Promise<SendAttempt[]>;

  // Open orders and their watches
  /**
   * Registers a reference in the open set (again keeps what is known) and returns the keys whose watch must be
   * signalled: those that have no watch or one that has not swept since `watchAliveSince`. They count as alive from `at`,
   * so that many payouts at once cause one signal; a signal that is never sent is found by `neglectedWatches` once the
   * lease is over. Excludes `endWatch` on the same key.
   */
  openOrder(request: OpenOrderRequest): Promise<WatchKey[]>;
  closeOrder(reference: string): Promise<void>;
  /** Oldest first. */
  openOrders(key: WatchKey): Promise<OpenOrder[]>;
  /** Absent keys keep their value. Under every currency: an exchange is told of once. */
  noteOrder(
    reference: string,
    note: { orderId?: string; notifiedStatus?: string | null; nextLookAt?: number | null },
  ): Promise<void>;
  /** Clears `notifiedStatus` of a reference under every currency: its owner wants to hear again. */
  forgetNotice(reference: string): Promise<void>;
  /** The watch shows that it lives. */
  touchWatch(key: WatchKey, at: number): Promise<void>;
  /** True when the open set was empty and the watch is now marked gone, in one transaction; false: keep watching. */
  endWatch(key: WatchKey): Promise<boolean>;
  /** Keys with open orders and no watch that has swept since `aliveSince`. */
  neglectedWatches(aliveSince: number): Promise<WatchKey[]>;

  // Batches
  batch(batchId: string): Promise<BatchRecord | undefined>;
  /** Newest first. */
  batches(limit: number): Promise<BatchRecord[]>;
  /** Oldest first. */
  unendedBatches(): Promise<BatchRecord[]>;
  /**
   * The control in force afterwards: `cancelling` is never left. `reason`: why a batch is paused by itself; it stays until
   * the batch runs again, which then ends the canary as well.
   */
  setControl(batchId: string, control: BatchControl, reason?: string): Promise<BatchControl>;
  /** All rows of a batch may be released from now on. */
  endCanary(batchId: string): Promise<void>;
  /** Null opens it again (an operator's `resolve` restarted a row). */
  setBatchEnded(batchId: string, endedAt: number | null): Promise<void>;
  /** How many rows are in each state. */
  stateCounts(batchId: string): Promise<Map<PayoutState, number>>;
  /** What fills the window of a batch, and the cap of open orders. */
  inFlight(batchId: string): Promise<InFlight>;
  /** Rows not yet handed to a workflow, by priority and row, without those of these accounts or under a switch that is off. */
  releasable(batchId: string, limit: number, exceptAccounts?: readonly UserAccount[]): Promise<PayoutRecord[]>;
  /** Accounts whose next rows are not released: refused by the bank, or with `waitingMax` rows short of money. */
  pausedAccounts(waitingMax: number): Promise<UserAccount[]>;
  /** What rows of the same account with a higher priority, or handed over before, need while they wait for money; decimals. */
  fundsNeededAhead(reference: string): Promise<string[]>;
  /** The bank has shown more than one order under a reference of this user, and nobody has seen to it: it recognises no reference. */
  hasSuspectedDuplicate(uid: string): Promise<boolean>;
  /** The first `count` rows of a batch by release order while no other one has been released, in no order. */
  canaryRows(batchId: string, count: number): Promise<CanaryRow[]>;
  markReleased(references: readonly string[], at: number): Promise<void>;
  /** Releases rows whose workflow begins on a later day: `scheduled`, unless it has begun already. */
  markScheduled(references: readonly string[], reason: Reason, at: number): Promise<void>;
  /** Ends every row not yet released as `cancelled`, of those claimed after a time (epoch ms); returns how many. */
  cancelUnreleased(batchId: string, claimedAfter: number | null, reason: Reason, at: number): Promise<number>;
  /**
   * Released payouts without an end that have not changed since `changedBefore` and may be started again `now`, by
   * reference, those behind `after`. Without those that were handed to people because their runs were closed again and again.
   */
  quietPayouts(
    scope: QuietScope,
    when: { changedBefore: number; now: number },
    page: { after: string | null; limit: number },
  ): Promise<QuietPayout[]>;
  /** False when somebody else has counted since `before`: of several passes at once one starts the payout again. */
  countClosedRun(reference: string, before: ClosedRuns, after: ClosedRuns): Promise<boolean>;
  /** An operator starts it again: closed runs of before do not count any more. */
  forgetClosedRuns(reference?: string): Promise<void>;
  /** Released rows without an end in one of these states, in row order. */
  rowsIn(batchId: string, states: readonly PayoutState[]): Promise<PayoutRecord[]>;
  /** All rows of a batch in row order, read page by page. */
  rows(batchId: string): AsyncIterable<PayoutRecord>;

  // Switches
  /** With an audit entry. False when it was off before: who was first, and why, stays. */
  switchOff(given: SwitchRecord): Promise<boolean>;
  /** With an audit entry. False when it was not off. */
  switchOn(given: SwitchRecord): Promise<boolean>;
  /** Those that are off, oldest first. */
  switches(): Promise<SwitchRecord[]>;
  /** The widest scope of a switch that stops a payout; a paused batch stops its payouts like a switch of its own. */
  switchOver(touched: Touched): Promise<SwitchScope | undefined>;
  /** How many payouts without an end a switch would stop, as far as their rows say what they touch. */
  openUnder(off: SwitchedOff): Promise<number>;

  // Facts
  /** False when this order was recorded before. */
  recordReturn(entry: ReturnRecord): Promise<boolean>;
  /** Oldest first. */
  returnsOf(references: readonly string[]): Promise<ReturnRecord[]>;
  /** An order at the bank under no reference of ours; false when it was recorded before. */
  recordUnaskedOrder(entry: {
    orderId: string;
    uid: string;
    currency: string;
    clientOrderId: string | null;
    seenAt: number;
  }): Promise<boolean>;
  /** `known`: this kind was recorded for this order and reference before; `acknowledged`: and somebody has seen to it. */
  recordIncident(entry: Incident & { seenAt: number }): Promise<'recorded' | 'known' | 'acknowledged'>;
  /** Newest first; `open`: only those that nobody has acknowledged. */
  incidents(which: { open: boolean; limit: number }): Promise<IncidentRecord[]>;
  /** With an audit entry. Not new when it was acknowledged before: who was first, and why, stays. Undefined: no such id. */
  acknowledgeIncident(
    id: string,
    acknowledgement: Acknowledgement,
  ): Promise<{ incident: IncidentRecord; isNew: boolean } | undefined>;
  /** Oldest first. */
  incidentsOf(references: readonly string[]): Promise<IncidentRecord[]>;

  // Reconciliation
  /** The payouts that there are under these references. */
  payoutsOf(references: readonly string[]): Promise<PayoutRecord[]>;
  /** The payouts whose order has one of these ids. */
  payoutsOfOrders(orderIds: readonly string[]): Promise<PayoutRecord[]>;
  /** Attempts recorded under any of these references. */
  attemptsOf(references: readonly string[]): Promise<SendAttempt[]>;
  /** Payouts of a user that have changed since. */
  documentsOf(uid: string, changedSince: number): Promise<PayoutDocument[]>;
  /** Keys of payouts that have changed since, ordered by uid and currency, those behind `after`. */
  reconciliationKeys(
    changedSince: number,
    page: { after: WatchKey | null; limit: number },
  ): Promise<ReconciliationKey[]>;
  /** Keys of the released rows of a batch. */
  batchKeys(batchId: string): Promise<WatchKey[]>;

  // Idempotency keys
  /**
   * Takes a key of a caller for a request. The first to take it works on it while it holds it; a holder that let the time
   * pass without an answer is followed by the next one with the same request, who gets the batch id of the first.
   */
  takeKey(hold: IdempotencyHold): Promise<IdempotencyTaking>;
  /** Holds a key until another time; one that is past gives it back without an answer. */
  holdKey(held: IdempotencyKey, until: number): Promise<void>;
  /** The answer from now on, unless somebody else has taken the key or it has one. */
  answerKey(held: IdempotencyKey, answer: { status: number; body: string }): Promise<void>;
  forgetKeys(takenBefore: number): Promise<void>;

  audit(entry: AuditEntry): Promise<void>;
  /** In the order in which they were written. */
  auditOf(subject: string): Promise<AuditEntry[]>;

  close(): Promise<void>;
}
