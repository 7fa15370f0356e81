import type { PayoutInstruction } from '../domain/instruction.ts';
import type { BatchControl, PayoutState, Reason } from '../domain/payout-state.ts';
import type { SentCardRequest, SentOrder } from '../domain/sent-order.ts';
import type { SwitchedOff, SwitchScope, Touched } from '../domain/switches.ts';
import type { CardStore } from './card-store.ts';
import type {
  AttemptOutcome,
  AuditEntry,
  BatchClaim,
  BatchRecord,
  CanaryRow,
  ClaimOutcome,
  ClaimRow,
  IdempotencyHold,
  IdempotencyKey,
  IdempotencyTaking,
  IncidentRecord,
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
  ReturnRecord,
  SendAttempt,
  SwitchOrder,
  SwitchRecord,
  UserAccount,
  WatchKey,
} from './entities.ts';
import type { IdentityAcceptance, StoreIdentity } from './store-identity.ts';

export type * from './entities.ts';
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
   * Takes the claim of one payout for `runId` (state `received` becomes `preparing`): inserts the row when no batch has, sets `claimRunId`
   * when it is free and the payload is the same, and `releasedAt` where the batch had no time to. Never overwrites
   * another run's claim.
   */
  claimPayout(claim: {
    reference: string;
    workflowId: string;
    instruction: PayoutInstruction;
    payloadDigest: string;
    generation: number;
    by: string | null;
    runId: string;
    /** Derived references whose attempts are wanted too. */
    derivedReferences: readonly string[];
    at: number;
  }): Promise<PayoutClaim>;

  // Payouts
  payout(reference: string): Promise<PayoutRecord | undefined>;
  /** Absent keys of the change keep their value; `reason: null` clears. A row that has an end keeps it: returns false. */
  changePayout(reference: string, change: PayoutChange): Promise<boolean>;
  /** Batch id, reference, workflow id, order id or document id -> matching payouts, oldest first, at most `limit`. */
  findPayouts(id: string, limit: number): Promise<PayoutRecord[]>;

  // Send attempts
  /** False on a conflict: (reference, attempt) was recorded before, by whoever. Durable when it returns. */
  recordAttempt(attempt: {
    reference: string;
    attempt: number;
    runId: string;
    activityId: string;
    sentAt: number;
    request?: SentOrder | SentCardRequest;
    /** Known when it is recorded: an attempt that is only taken, never sent. */
    outcome?: AttemptOutcome;
  }): Promise<boolean>;
  finishAttempt(
    reference: string,
    attempt: number,
    result: { outcome: AttemptOutcome; orderId?: string; code?: number },
  ): Promise<void>;
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
  /** Rows released and at work: what fills the window. Rows that wait for a date, money or people do not count. */
  inFlight(batchId: string): Promise<number>;
  /** Rows not yet handed to a workflow, by priority and row, without those of these accounts or under a switch that is off. */
  releasable(batchId: string, limit: number, exceptAccounts?: readonly UserAccount[]): Promise<PayoutRecord[]>;
  /** Accounts whose next rows are not released: refused by the bank, or with `waitingMax` rows short of money. */
  pausedAccounts(waitingMax: number): Promise<UserAccount[]>;
  /** What rows of the same account with a higher priority, or handed over before, need while they wait for money; decimals. */
  fundsNeededAhead(reference: string): Promise<string[]>;
  /** The bank has shown more than one order under a reference of this user: it recognises no reference. */
  hasSuspectedDuplicate(uid: string): Promise<boolean>;
  /** The first `count` rows of a batch by release order while no other one has been released, in no order. */
  canaryRows(batchId: string, count: number): Promise<CanaryRow[]>;
  markReleased(references: readonly string[], at: number): Promise<void>;
  /** Releases rows whose workflow begins on a later day: `scheduled`, unless it has begun already. */
  markScheduled(references: readonly string[], reason: Reason, at: number): Promise<void>;
  /** Ends every row not yet released as `cancelled`; returns how many. */
  cancelUnreleased(batchId: string, reason: Reason, at: number): Promise<number>;
  /** Released rows without an end (needs-operator excluded) that have not changed since `changedBefore`, longest quiet first. */
  quietRows(batchId: string, changedBefore: number, page: { afterRow: number; limit: number }): Promise<PayoutRecord[]>;
  /** Released rows without an end in one of these states, in row order. */
  rowsIn(batchId: string, states: readonly PayoutState[]): Promise<PayoutRecord[]>;
  /** All rows of a batch in row order, read page by page. */
  rows(batchId: string): AsyncIterable<PayoutRecord>;

  // Switches
  /** With an audit entry. False when it was off before: who was first, and why, stays. */
  switchOff(order: SwitchOrder): Promise<boolean>;
  /** With an audit entry. False when it was not off. */
  switchOn(order: SwitchOrder): Promise<boolean>;
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
  /** False when this kind was recorded for this order and reference before. */
  recordIncident(entry: IncidentRecord): Promise<boolean>;
  /** Oldest first. */
  incidentsOf(references: readonly string[]): Promise<IncidentRecord[]>;

  // Reconciliation
  /** The payouts that there are under these references. */
  payoutsOf(references: readonly string[]): Promise<PayoutRecord[]>;
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
