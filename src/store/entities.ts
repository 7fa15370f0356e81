import type { SignedDecision } from '../domain/authority.ts';
import type { OriginalMessage, OriginalTransaction } from '../domain/bank-message.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { EndState, PayoutState, Reason } from '../domain/payout-state.ts';
import type { SentCardRequest, SentOrder } from '../domain/sent-order.ts';
import type { AttemptOutcome, PayoutRecord, SendAttempt, Settled } from './schema.ts';

/** What the store is asked and answers where that is no row of a table. Times are epoch milliseconds, amounts decimal strings. */

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

/** A decision that is kept. */
export type TakenDecision = SignedDecision & { takenAt: number };

/** A row that a signed plan stands for, with the proof that it is in it. */
export interface PlannedRow {
  reference: string;
  digest: string;
  /** From 0. */
  index: number;
  path: readonly string[];
}

/** A plan that is signed, as far as it stands for one row. */
export type PlannedDecision = TakenDecision & {
  /** Of the row, as it was planned. */
  rowDigest: string;
  inclusion: Pick<PlannedRow, 'index' | 'path'>;
};

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

export interface PayoutClaimRequest {
  reference: string;
  workflowId: string;
  instruction: PayoutInstruction;
  payloadDigest: string;
  generation: number;
  /** Absent: a payout. */
  kind?: PayoutKind;
  by: string | null;
  runId: string;
  /** The claim gets this term at least, so that nobody holds it under one of before; absent: the first. */
  term?: number;
  /** Derived references whose attempts are wanted too. */
  derivedReferences: readonly string[];
  at: number;
}

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
  /** What the row waits for on its account, decimal; null: not known. */
  fundsNeeded?: string | null;
  at: number;
}

/** The run that writes, as holder of the claim. */
export interface HeldClaim {
  reference: string;
  term: number;
}

export interface NewAttempt {
  reference: string;
  attempt: number;
  runId: string;
  activityId: string;
  sentAt: number;
  listedFrom?: number;
  request?: SentOrder | SentCardRequest;
  claim?: HeldClaim;
  /** Whose answer is for life: none is begun once the bank has accepted one, or has said that it exists. */
  isFinal?: boolean;
}

/**
 * Whether an attempt may be made. `superseded`: the run does not hold the claim any more, or the payout has an end. `told`: the
 * bank has it, as an earlier sender has heard, perhaps only now.
 */
export type AttemptBegun = 'begun' | 'superseded' | 'told' | GivesWay;

/**
 * Nothing is recorded, because of the attempt `to`. `taken`: its number is the same, or higher. `live`: its sender may still be about
 * to send.
 */
interface GivesWay {
  to: number;
  because: 'taken' | 'live';
}

export interface AttemptResult {
  outcome: AttemptOutcome;
  orderId?: string;
  code?: number;
}

/** What became of the attempts of a reference up to a number. */
export interface SettledUpTo {
  upTo: number;
  as: Settled;
}

/** An end without money, and what the run has settled of what it sent. */
export interface UnpaidEnd extends HeldClaim {
  state: Exclude<EndState, 'completed'>;
  reason: Reason;
  /** By reference sent: attempts up to this number are settled, and how. Those of a reference that is not named are not. */
  settled: Record<string, SettledUpTo>;
  /** Every reference sent for the payout. */
  references: readonly string[];
  /** The person who has said so, where one has. */
  by?: string;
  at: number;
}

/**
 * `superseded`: the run does not hold the claim. `in-doubt`: an attempt beyond those it has settled may have moved money. Nothing
 * is written in either case.
 */
export type Closing = 'closed' | 'superseded' | 'in-doubt';

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

/** What the watch has seen of an open order; absent keys keep their value. */
export interface OpenOrderNote {
  orderId?: string;
  notifiedStatus?: string | null;
  nextLookAt?: number | null;
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
