import type { PayoutInstruction } from '../domain/instruction.ts';
import type { BatchControl, PayoutState, Reason } from '../domain/payout-state.ts';

/**
 * The store keeps what must outlive a workflow's retention: who claimed which payout, what was sent under which
 * reference, where every row stands, and who did what. Times are epoch milliseconds and given by the caller.
 */

export interface PayoutRecord {
  reference: string;
  workflowId: string;
  uid: string;
  /** The instruction's `id`. */
  documentId: string;
  generation: number;
  batchId: string | null;
  /** Data row from 1; null for a payout started without a batch. */
  row: number | null;
  instruction: PayoutInstruction;
  payloadDigest: string;
  amount: string;
  currency: string;
  by: string | null;
  state: PayoutState;
  reason: Reason | null;
  orderId: string | null;
  /** Booked fee, from the order record; null until known. */
  fee: string | null;
  feeCurrency: string | null;
  /** Run id of the execution that owns the payout; null until one has claimed it. */
  claimRunId: string | null;
  /** When the batch handed the row to a workflow; null before. */
  releasedAt: number | null;
  createdAt: number;
  updatedAt: number;
  endedAt: number | null;
}

export interface BatchRecord {
  batchId: string;
  /** File name as given, without its folder. */
  file: string;
  sha256: string;
  by: string | null;
  control: BatchControl;
  total: number;
  createdAt: number;
  /** When every row had an end or was with an operator; null before. */
  endedAt: number | null;
}

export interface ClaimRow {
  row: number;
  reference: string;
  workflowId: string;
  instruction: PayoutInstruction;
  payloadDigest: string;
}

export interface BatchClaim {
  batchId: string;
  file: string;
  sha256: string;
  by: string | null;
  rows: readonly ClaimRow[];
  at: number;
}

/** A row already claimed: by whom, and whether it is still the same instruction. */
export interface KnownClaim {
  row: number;
  reference: string;
  batchId: string | null;
  samePayload: boolean;
}

export type ClaimOutcome = { claimed: true } | { claimed: false; known: KnownClaim[] };

/** What a payout finds when it claims its row. */
export interface PayoutClaim {
  record: PayoutRecord;
  /** `own`: this run holds the claim. `other-run`: an earlier run does (reset, retention over, another namespace). */
  holder: 'own' | 'other-run';
  /** False when the row is known with another payload (`id-reused`). */
  samePayload: boolean;
  /** Attempts recorded for this reference and for its derived exchange reference, oldest first. */
  attempts: SendAttempt[];
}

/** Outcome of one POST as far as the sender learned it; null while unknown (the sender may have died). */
export type AttemptOutcome = 'accepted' | 'not-sent' | 'refused' | 'exists' | 'ambiguous';

export interface SendAttempt {
  /** Reference sent: the payout's own or the derived one of its exchange. */
  reference: string;
  attempt: number;
  runId: string;
  activityId: string;
  sentAt: number;
  outcome: AttemptOutcome | null;
  orderId: string | null;
  code: number | null;
}

export interface PayoutChange {
  state: PayoutState;
  reason?: Reason | null;
  orderId?: string;
  fee?: string;
  feeCurrency?: string;
  at: number;
}

/** An order the watch looks for: every reference sent or about to be sent, until its payout has heard the end. */
export interface OpenOrder {
  /** The reference sent to the bank (`client_order_id`). */
  reference: string;
  /** Workflow that owns the reference. */
  workflowId: string;
  uid: string;
  currency: string;
  openedAt: number;
  orderId: string | null;
  /** Status last signalled to the owner; null when it heard none or asked to hear again. */
  notifiedStatus: string | null;
  /** Next look by id, for an order older than the sweep's window; null while the window covers it. */
  nextLookAt: number | null;
}

export interface OpenOrderRequest {
  reference: string;
  workflowId: string;
  uid: string;
  /** One for a payment, both legs for an exchange. */
  currencies: readonly string[];
  at: number;
  /** A watch that has not swept since this time counts as gone. */
  watchAliveSince: number;
}

export interface WatchKey {
  uid: string;
  currency: string;
}

export interface ReturnRecord {
  orderId: string;
  /** Reference of the payout the money came back from. */
  reference: string;
  amount: string;
  currency: string;
  seenAt: number;
}

export interface AuditEntry {
  at: number;
  actor: string;
  action: string;
  /** Reference, batch id or order id. */
  subject: string;
  detail: Record<string, string>;
}

export interface StoreIdentity {
  /** Base URL of the bank, or the sandbox's own mark. */
  bank: string;
  namespace: string;
}

export interface Store {
  /** Records the identity at first use; afterwards throws `StoreIdentityError` naming the part that differs. */
  identify(identity: StoreIdentity): Promise<void>;
  identity(): Promise<StoreIdentity | undefined>;

  // Claims
  /**
   * Claims every row in one transaction: either all rows are new and inserted with state `received`, or nothing is
   * written and every known row is returned. Unique: the reference, and (uid, documentId, generation). Of several claims
   * at once one wins and the others are told what it took. Throws when the claim names a document or a row twice, or the
   * id of a batch with other rows.
   */
  claimBatch(claim: BatchClaim): Promise<ClaimOutcome>;
  /** The claims that exist among these rows, in row order. */
  knownClaims(rows: readonly ClaimRow[]): Promise<KnownClaim[]>;
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
  /** The control in force afterwards: `cancelling` is never left. */
  setControl(batchId: string, control: BatchControl): Promise<BatchControl>;
  /** Null opens it again (an operator's `resolve` restarted a row). */
  setBatchEnded(batchId: string, endedAt: number | null): Promise<void>;
  /** How many rows are in each state. */
  stateCounts(batchId: string): Promise<Map<PayoutState, number>>;
  /** Rows released and at work: what fills the window. Rows that wait for a date, money or people do not count. */
  inFlight(batchId: string): Promise<number>;
  /** Rows not yet handed to a workflow, in row order. */
  releasable(batchId: string, limit: number): Promise<PayoutRecord[]>;
  markReleased(references: readonly string[], at: number): Promise<void>;
  /** Ends every row not yet released as `cancelled`; returns how many. */
  cancelUnreleased(batchId: string, reason: Reason, at: number): Promise<number>;
  /** Released rows without an end (needs-operator excluded) that have not changed since `changedBefore`, longest quiet first. */
  quietRows(batchId: string, changedBefore: number, page: { afterRow: number; limit: number }): Promise<PayoutRecord[]>;
  /** Released rows without an end in one of these states, in row order. */
  rowsIn(batchId: string, states: readonly PayoutState[]): Promise<PayoutRecord[]>;
  /** All rows of a batch in row order, read page by page. */
  rows(batchId: string): AsyncIterable<PayoutRecord>;

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
  audit(entry: AuditEntry): Promise<void>;
  /** In the order in which they were written. */
  auditOf(subject: string): Promise<AuditEntry[]>;

  close(): Promise<void>;
}
