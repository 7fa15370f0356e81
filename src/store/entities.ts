import type { OriginalMessage, OriginalTransaction } from '../domain/bank-message.ts';
import type { Assessment } from '../domain/gates.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { BatchControl, PayoutState, Reason } from '../domain/payout-state.ts';
import type { SwitchedOff } from '../domain/switches.ts';
import type { SendAttempt } from './attempt-entities.ts';

export type * from './attempt-entities.ts';

/** What the store keeps, as its callers see it. Times are epoch milliseconds, amounts decimal strings. */

export interface PayoutRecord {
  reference: string;
  workflowId: string;
  kind: PayoutKind;
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
  /** Its ids in the bank message it came with; null for other formats. */
  original: OriginalTransaction | null;
  /** Reference of an earlier payout of the same payee, amount and currency; null when there was none. */
  lookAlikeOf: string | null;
  state: PayoutState;
  reason: Reason | null;
  orderId: string | null;
  /** Booked fee, from the order record; null until known. */
  fee: string | null;
  feeCurrency: string | null;
  /** Run id of the execution that holds the claim; null until one has taken it. */
  claimRunId: string | null;
  /** How many runs have held the claim: the fencing token of the last one. */
  term: number;
  /** What the holder of the claim last read about it: what is sent is made of this. */
  assessed: Assessment | null;
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
  /** Head of the bank message it came as; null for other formats. */
  message: OriginalMessage | null;
  /** The batch whose unpaid rows it pays again. */
  retryOf: string | null;
  /** How many rows must be completed before the others are released; null: none, or no longer. */
  canary: number | null;
  /** Why it was paused by itself; null: it was not. */
  controlReason: string | null;
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
  /** From 0, which is also what absent means; above only for a payout whose earlier generation took no money. */
  generation?: number;
  original?: OriginalTransaction;
  lookAlikeKey?: string;
  lookAlikeOf?: string;
}

export interface BatchClaim {
  batchId: string;
  file: string;
  sha256: string;
  by: string | null;
  /** Gone through more than once. */
  rows: Iterable<ClaimRow>;
  /** Rows of the file that broke a rule: kept for the answer, never paid. */
  refused?: Iterable<RefusedRow>;
  message?: OriginalMessage;
  retryOf?: string;
  /** The id of the message must be a new one. */
  messageIsNew?: boolean;
  /** Payouts claimed since (epoch ms) that look like a row must be the ones its row names. */
  lookAlikesSince?: number;
  /** The first rows by release order, and how many: the others are released once these are completed. */
  canary?: number;
  at: number;
}

/** A row of a file that was not claimed, with why. */
export interface RefusedRow {
  row: number;
  line: number;
  /** Values as written; empty where they were not read whole, or came in a bank message. */
  instruction: Record<string, string>;
  original?: OriginalTransaction;
  /** Reference of the payout that took the row before. */
  reference?: string;
  findings: { column: string | null; rule: string; message: string }[];
}

/** An earlier payout of the same payee, amount and currency that is not proven unpaid. */
export interface LookAlike {
  lookAlikeKey: string;
  reference: string;
  createdAt: number;
}

/** A document already claimed: by whom, as what, and whether it is still the same instruction. */
export interface KnownClaim {
  row: number;
  kind: PayoutKind;
  reference: string;
  batchId: string | null;
  samePayload: boolean;
  /** As it was claimed. */
  instruction: PayoutInstruction;
}

export type ClaimOutcome =
  | { claimed: true }
  | { claimed: false; known: KnownClaim[] }
  /** No row is known, and yet the batch is not what it was when it was planned. */
  | { claimed: false; known: []; changed: 'message-taken' | 'look-alike' };

/** What a payout finds when it claims its row. */
export interface PayoutClaim {
  record: PayoutRecord;
  /** Whether an earlier run held the claim (reset, started again, retention over). */
  isTakenOver: boolean;
  /** False when the document is known with another payload, or as another kind (`id-reused`). */
  samePayload: boolean;
  /** Attempts recorded for this reference and for its derived exchange reference, oldest first. */
  attempts: SendAttempt[];
}

export interface PayoutChange {
  /** Of the run that writes: nothing is changed unless it holds the claim. Absent: somebody else than a run. */
  term?: number;
  state: PayoutState;
  reason?: Reason | null;
  orderId?: string;
  fee?: string;
  feeCurrency?: string;
  /** What the row waits for on its account, decimal. */
  fundsNeeded?: string;
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
  /** From when on a list can show its order. */
  since: number;
  at: number;
  /** A watch that has not swept since this time counts as gone. */
  watchAliveSince: number;
}

/** An account as a user names it: the bank may refuse it to one and not to another. */
export interface UserAccount {
  uid: string;
  accountId: string;
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

/** What reconciliation compares in one go. */
export interface ReconciliationKey extends WatchKey {
  /** Creation of the oldest of its payouts: no order of them is older. */
  since: number;
}

/** What the references of a payout are derived from, with its uid. */
export interface PayoutDocument {
  reference: string;
  documentId: string;
  generation: number;
}

export interface AuditEntry {
  at: number;
  actor: string;
  action: string;
  /** Reference, batch id or order id. */
  subject: string;
  detail: Record<string, string>;
}

/** What others than this store sent between these times (epoch ms) may be missing in it. */
export interface Restored {
  from: number;
  at: number;
}

/** Who put this store in the place of another one; audited under the subject `store`. */
export interface RestoreRecord extends Restored {
  /** Id of the store whose namespace this one takes; absent: a copy was put in this one's place. */
  replaces?: string;
  by: string;
  detail: Record<string, string>;
}

/** Who switches, or has switched, what off or on, and why. */
export interface SwitchRecord extends SwitchedOff {
  reason: string;
  by: string;
  at: number;
}

/** A key that one process holds. */
export interface IdempotencyKey {
  /** Name of the caller's token; empty for a caller without a name. */
  caller: string;
  key: string;
  /** Who works on the request. */
  owner: string;
}

export interface IdempotencyHold extends IdempotencyKey {
  requestSha256: string;
  /** The batch this request makes, if nobody has begun it. */
  batchId: string;
  heldUntil: number;
  at: number;
}

export type IdempotencyTaking =
  /** `batchId`: the batch this request makes, or has made before its first holder ended. */
  | { outcome: 'taken'; batchId: string }
  | { outcome: 'answered'; status: number; body: string }
  | { outcome: 'in-use' }
  | { outcome: 'other-request' };

export interface InFlight {
  /** Released rows of the batch at work, their order not accepted by the bank; none that waits for a date, money or people. */
  unaccepted: number;
  /** Payouts of every batch with an order open at the bank, those on their way there and the `unaccepted` included. */
  openOrders: number;
}

/** A row that must be completed before the rest of its batch is released. */
export interface CanaryRow {
  reference: string;
  row: number | null;
  state: PayoutState;
  reasonCode: string | null;
}
