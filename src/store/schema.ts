import type { Generated, Selectable } from 'kysely';
import type { SignedDecision } from '../domain/authority.ts';
import type { OriginalMessage, OriginalTransaction, TransactionFacts } from '../domain/bank-message.ts';
import type { CardEvent, CardPaymentType, CardState } from '../domain/card-payment.ts';
import type { Assessment } from '../domain/gates.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { Outages } from '../domain/liveness.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { OrderFacts } from '../domain/order-judgement.ts';
import type { PayeeCheck } from '../domain/payee.ts';
import type { BatchControl, PayoutState, Reason } from '../domain/payout-state.ts';
import type { AcceptedDifference, IncidentKind, ShownOrder } from '../domain/reconciliation.ts';
import type { CameBack, Returned } from '../domain/returned.ts';
import type { SentCardRequest, SentOrder } from '../domain/sent-order.ts';
import type { SignOut } from '../domain/sign-in.ts';
import type { ResumptionReason, SenderSeen } from '../domain/store-past.ts';
import type { SwitchScope } from '../domain/switch-scope.ts';
import type { SerializedEntry } from './audit/entry.ts';
import type { Hash } from './audit/merkle.ts';
import type { Json, JsonColumns } from './engine/column-dialect.ts';
import type { AdviceRecord, ReminderRecord } from './notice-tables.ts';
import type { OutboxEvent, RefusedEvent, SubscriptionRecord } from './outbox-tables.ts';
import type { PeriodTables } from './period-tables.ts';
import { STATEMENT_JSON_COLUMNS, type StatementTables } from './statement-tables.ts';

/**
 * Tables of the store with their rows as callers see them, the same on SQLite and PostgreSQL. On disk names are snake_case. Money
 * is text (decimal strings), times are integers (epoch milliseconds), `Json` is text.
 */
export interface Tables extends StatementTables, PeriodTables {
  meta: { key: string; value: string };
  batches: BatchTable;
  payouts: PayoutTable;
  sendAttempts: SendAttemptTable;
  openOrders: OpenOrderTable;
  watches: { uid: string; currency: string; polledAt: number };
  refusedRows: RefusedRowTable;
  switches: SwitchRecord;
  incidents: IncidentTable;
  idempotencyKeys: IdempotencyKeyTable;
  callBudgets: { key: string; bookedUntil: number };
  // Answers to bank messages.
  answers: AnswerRecord;
  answeredTransactions: AnsweredTable;
  // The audit log: entries, the edge of the Merkle tree, and signed checkpoints.
  auditLog: LoggedEntry;
  auditTree: AuditTreeTable;
  auditCheckpoints: CheckpointTable;
  // Card payments. No card number, CVV, name or address.
  cardPayments: CardPaymentTable;
  cardRequests: { requestId: string; merchantRequestId: string };
  cardPaymentIds: { paymentId: string; merchantRequestId: string; linkedAt: number };
  cardEvents: CardEventTable;
  cardWaiters: { merchantRequestId: string; payoutWorkflowId: string };
  // What people see before deciding, and decide.
  decisions: DecisionTable;
  signedDecisions: SignedDecisionTable;
  planRows: PlanRowTable;
  payees: SeenPayeeTable;
  payeePayments: PayeePayment;
  payeeChecks: KeptCheck;
  outbox: OutboxEvent;
  /** One row: position of the last event, locked by writers, so that positions are committed in order. */
  outboxHead: { id: number; position: number };
  /** One row: position up to which events are deleted. Locked by deletions and replays. */
  outboxTail: { id: number; position: number };
  subscriptions: SubscriptionRecord & { owner: string | null; ownedUntil: number | null };
  refusedEvents: RefusedEvent & { name: string };
  resumptions: ResumptionTable;
  senders: SenderSeen & { outages: Json<Outages> | null };
  // What the bank has shown.
  returns: ReturnRecord;
  bookedExchanges: BookedExchange;
  paidOrders: PaidOrderRecord;
  unaskedOrders: UnaskedOrderTable;
  acceptedDifferences: AcceptedDifferenceRow;
  // Of what people were notified.
  reminders: ReminderRecord;
  advices: AdviceRecord;
  // Of which the sign-in provider has notified.
  signOuts: SignOut & { at: number };
  listReads: ListRead;
  listLags: ListLag;
}

export const JSON_COLUMNS: JsonColumns<Tables> = {
  answeredTransactions: { transactions: true },
  auditCheckpoints: { edge: true },
  auditTree: { edge: true },
  batches: { message: true },
  incidents: { orderShown: true },
  cardPayments: { reason: true },
  payees: { items: true, earlier: true },
  payouts: { instruction: true, original: true, reason: true, cameBack: true, assessed: true },
  planRows: { path: true },
  refusedRows: { instruction: true, original: true, findings: true },
  sendAttempts: { request: true },
  senders: { outages: true },
  unaskedOrders: { shown: true },
  ...STATEMENT_JSON_COLUMNS,
};

export interface ReturnRecord extends Returned {
  /** Of the order, or of the booking on a statement that showed it first. */
  orderId: string;
  /** Reference of the payout the money came back from. */
  reference: string;
  /** Why it came back: the bank's code, and its own text, which may name people. */
  reasonCode: string | null;
  reasonText: string | null;
  /** Where it was seen first: among the bank's orders, or on a statement. */
  shownBy: 'orders' | 'statement';
  /** What the other of them calls it; null: not seen there. */
  otherId: string | null;
}

/** A return as one source shows it; `shownBy` absent: the bank's orders. */
export type ReturnSeen = Pick<ReturnRecord, 'orderId' | 'reference' | 'amount' | 'currency' | 'seenAt'> &
  Partial<ReturnRecord>;

/** A booked exchange as the bank shows it; null: not shown. Amounts are unsigned. */
export interface BookedExchange {
  /** Reference of the payout it was made for, or of the stand-alone exchange. */
  reference: string;
  orderId: string;
  soldAmount: string | null;
  soldCurrency: string | null;
  boughtAmount: string | null;
  boughtCurrency: string | null;
  /** As written by the bank. */
  rate: string | null;
  fee: string | null;
  feeCurrency: string | null;
  seenAt: number;
}

/** A paid order as the bank showed it when its payout was completed (`PaidShown`); null: not shown. */
export interface PaidOrderRecord {
  /** Reference of the payout. */
  reference: string;
  orderId: string;
  amount: string | null;
  currency: string | null;
  accountId: string | null;
  seenAt: number;
}

/** An order at the bank that this store did not send, as far as it knows. */
interface UnaskedOrderTable {
  orderId: string;
  /** The list that showed it first. */
  uid: string;
  currency: string;
  clientOrderId: string | null;
  /** `ownStem` of `clientOrderId`. */
  stem: string | null;
  /** As the list showed it last. */
  shown: Json<OrderFacts> | null;
  seenAt: number;
}
export type UnaskedOrder = Selectable<UnaskedOrderTable>;

/** The last whole read of a list that was believed, and whose orders were noted. */
export interface ListRead {
  uid: string;
  currency: string;
  beganAt: number;
  /** Start of the list, epoch ms of the bank's clock; 0: the whole list. */
  reachesFrom: number;
  /** The store's last resumption after which such a read was made: `resumptionOf`; null: none. */
  resumption: number | null;
}

/** How long a list was seen to lack an order that the bank had accepted and then listed, at most. */
export interface ListLag {
  uid: string;
  currency: string;
  lagMs: number;
}

/** A value of an order that two people accepted when they adopted it. */
export interface AcceptedDifferenceRow extends AcceptedDifference {
  /** Reference of the payout, even if the order is its exchange. */
  reference: string;
}

/** A final answer to a bank message, as it was sent. */
export interface AnswerRecord {
  /** Batch that the message became. */
  batchId: string;
  /** From 1; each version supersedes all earlier ones. */
  version: number;
  messageId: string;
  /** Message id of the previous version; null for the first. */
  supersedes: string | null;
  createdAt: number;
}

export interface AnsweredTransaction {
  /** Position in the message, from 0. */
  position: number;
  facts: TransactionFacts;
}

interface AnsweredTable {
  batchId: string;
  version: number;
  /** From 0. */
  part: number;
  transactions: Json<AnsweredTransaction[]>;
}

export interface LoggedEntry extends SerializedEntry {
  leafHash: Hash;
}

interface AuditTreeTable {
  id: number;
  size: number;
  /** Roots of the full subtrees, largest first. */
  edge: Json<readonly Hash[]>;
}

interface CheckpointTable {
  size: number;
  /** Edge of the tree at this size, from which the signed root follows. */
  edge: Json<readonly Hash[]>;
  /** As `SignedCheckpoint`. */
  note: string;
  at: number;
  /** When it was copied to the file kept elsewhere; null before. */
  copiedAt: number | null;
  /** When it was written to the mail spool; null before. */
  mailedAt: number | null;
}
export type CheckpointRecord = Selectable<CheckpointTable>;

/** Of the card only the first six and last four digits. */
interface CardPaymentTable {
  merchantRequestId: string;
  workflowId: string;
  /** Decimal string. */
  amount: string;
  currency: string;
  paymentType: CardPaymentType;
  /** Digest of the request (`cardDigest`); the same id with another digest is another payment. */
  digest: string;
  by: string | null;
  /** SHA-256 (hex) of the client secret given to a checkout page; null if none was made. */
  clientSecretSha256: string | null;
  bin: string | null;
  lastFour: string | null;
  state: CardState;
  reason: Json<Reason> | null;
  /** payment_id that is followed, or with which it ended. */
  paymentId: string | null;
  /** First run that held the claim: any later run must know that something may have been sent. */
  firstRunId: string | null;
  /** Run that holds the claim; null until a workflow takes it. */
  runId: string | null;
  /** The first event that contradicted the end; null: none did. */
  contradictedAt: number | null;
  createdAt: number;
  updatedAt: number;
  endedAt: number | null;
}
export type CardRecord = Selectable<CardPaymentTable>;

/**
 * `delivered`: signalled to the workflow. Otherwise it came after the end and `confirms` or `contradicts` it, or says neither
 * (`after-end`): another status, of any meaning.
 */
export type CardEventEffect = 'delivered' | 'confirms' | 'contradicts' | 'after-end';

interface CardEventTable {
  kind: CardEvent['kind'];
  /** Empty for a completion that names only the 3DS session. */
  paymentId: string;
  status: string;
  trust: CardEvent['trust'];
  /** Message id of the signature scheme, or a digest of the body. */
  receiptId: string;
  /** As given in the event; the link in `cardPaymentIds` takes precedence, also in what callers receive. */
  merchantRequestId: string | null;
  receivedAt: number;
  /** As the event said it. */
  amount: string | null;
  currency: string | null;
  effect: CardEventEffect | null;
  deliveredAt: number | null;
  /** How often its payment was queried. */
  reads: number;
}
export type StoredCardEvent = Selectable<CardEventTable>;

interface SignedDecisionTable extends SignedDecision {
  takenAt: number;
  /** When a decision that counts once was carried out; null before. */
  usedAt: number | null;
}

/** A beneficiary as the bank last showed it. */
interface SeenPayeeTable {
  uid: string;
  /** Beneficiary id. */
  payeeId: string;
  digest: string;
  name: string | null;
  /** Skeletons of the name for look-alike comparison: as written, and in lower case. */
  nameAsShown: string | null;
  nameInSmall: string | null;
  /** ISO 3166 alpha-2. */
  country: string | null;
  /** When first seen. */
  seenAt: number;
  /** When a change of its details was last seen; null: never. */
  changedAt: number | null;
  /** Its details by the bank's names, and those before the first of the changes that are still recent; null: none. */
  items: Json<Record<string, string>> | null;
  earlier: Json<Record<string, string>> | null;
}
export type SeenPayee = Selectable<SeenPayeeTable>;

/** A completed payout and its payee. */
export interface PayeePayment {
  reference: string;
  uid: string;
  payeeId: string;
  /** Digest of the payee as last read before payment. */
  digest: string;
  amount: string;
  currency: string;
  paidAt: number;
}

/** A provider's latest verdict on a payee. */
export interface KeptCheck extends Omit<PayeeCheck, 'digest'> {
  uid: string;
  /** For a close match: the name that was checked, and the account holder's name. */
  name: string | null;
  otherName: string | null;
  /** The provider's id of its answer. */
  caseId: string | null;
  /** Why no answer came; null otherwise. */
  why: string | null;
}

interface PlanRowTable {
  /** The signed digest of the plan. */
  plan: string;
  reference: string;
  digest: string;
  leafIndex: number;
  /** Inclusion proof of the row. */
  path: Json<readonly Hash[]>;
}

/** Who approved what is paid under a digest, by unverified name: used only where no policy requires signatures. */
interface DecisionTable {
  reference: string;
  digest: string;
  by: string;
  at: number;
}

interface ResumptionTable {
  at: number;
  /** Orders made from this time on may be missing in the store; 0: any. */
  since: number;
  why: ResumptionReason;
}

interface BatchTable {
  batchId: string;
  /** File name without its folder. */
  file: string;
  sha256: string;
  by: string | null;
  control: BatchControl;
  total: number;
  /** Header of the bank message it came as; null for other formats. */
  message: Json<OriginalMessage> | null;
  /** Id of that message. */
  messageId: string | null;
  /** Batch whose unpaid rows this one pays again. */
  retryOf: string | null;
  /** Rows that must be completed before the others are released; null: none, or no longer. */
  canary: number | null;
  /** Why the batch paused itself; null: it did not. */
  controlReason: string | null;
  /** Epoch ms before which no row is started; null: none. */
  heldUntil: number | null;
  /** W3C Trace Context of the traced request that brought it; null: none did. */
  traceparent: string | null;
  createdAt: number;
  /** When every row had an end or was with an operator; null before. */
  endedAt: number | null;
  /** When personal data was erased from its refused rows; null: it was not. */
  erasedAt: number | null;
}
export type BatchRecord = Selectable<BatchTable>;

interface PayoutTable {
  reference: string;
  workflowId: string;
  kind: Generated<PayoutKind>;
  uid: string;
  /** The instruction's `id`. */
  documentId: string;
  generation: number;
  batchId: string | null;
  /** Data row from 1; null for a payout started without a batch, and for the exchange of one. */
  row: number | null;
  /** As claimed. */
  instruction: Json<PayoutInstruction>;
  payloadDigest: string;
  amount: string;
  currency: string;
  /** Sold by its exchange, or by a stand-alone one: the other list that shows its orders. Null: nothing was. */
  soldCurrency: string | null;
  /** Account of the instruction; rows of one account wait in one lane. */
  accountId: string | null;
  /** Beneficiary id, if the instruction names one. */
  beneficiaryId: string | null;
  /** Name of a payee that the instruction gives by its details; null: it names one by the bank's id, or none. */
  payee: string | null;
  /** Release order, smaller first; 1 is normal. */
  priority: Generated<number>;
  by: string | null;
  /** Its ids in the bank message; null for other formats. */
  original: Json<OriginalTransaction> | null;
  /** Digest of user, payee, amount and currency. */
  lookAlikeKey: string | null;
  /** Like `lookAlikeKey`, by the payee's account at the bank; only for a payee named by id, in a file small enough to ask. */
  lookAlikeAccount: string | null;
  /** Reference of an earlier payout with the same key, found at the claim; null if none. */
  lookAlikeOf: string | null;
  state: PayoutState;
  reason: Json<Reason> | null;
  /** `code` of `reason`. */
  reasonCode: string | null;
  /** From the returns: null, nothing came back. It says nothing while the state is not `completed`. */
  cameBack: Json<CameBack> | null;
  /** Of `cameBack`, for searches. */
  returnedAs: 'returned' | 'partly-returned' | null;
  /** Amount that a row awaiting funds needs, in the account's currency. */
  fundsNeeded: string | null;
  orderId: string | null;
  /** Booked fee, from the order record; null until known. */
  fee: string | null;
  feeCurrency: string | null;
  /** Run id of the execution that holds the claim; null until one takes it. */
  claimRunId: string | null;
  /** Term of the claim: the fencing token of the current holder. */
  term: Generated<number>;
  /** The holder's last assessment, from which orders are made. */
  assessed: Json<Assessment> | null;
  /** Consecutive closed runs without progress. */
  closedRuns: Generated<number>;
  /** State and order id when the last of them was found. */
  closedAtState: string | null;
  nextRestartAt: number | null;
  /** When the batch handed the row to a workflow; null before. */
  releasedAt: number | null;
  createdAt: number;
  updatedAt: number;
  /** When its state or the code of its reason was entered; a check that finds the same again does not change it. */
  stateSince: number;
  endedAt: number | null;
  /** When personal data was erased from it; null: it was not. */
  erasedAt: number | null;
}

/** Columns of a payout that are written as it proceeds; its claim writes the others. */
export type WrittenLater =
  | 'soldCurrency'
  | ('claimRunId' | 'term' | 'assessed' | 'fundsNeeded' | 'reason' | 'reasonCode' | 'orderId' | 'fee' | 'feeCurrency')
  | ('cameBack' | 'returnedAs')
  | ('closedRuns' | 'closedAtState' | 'nextRestartAt' | 'releasedAt' | 'endedAt' | 'erasedAt');

/**
 * Without the closed runs, which only a `QuietPayout` shows, and without `amount`, `currency` and `payee`, which only searches and
 * sums read: what is shown and decided is the instruction, which digests cover.
 */
export type PayoutRecord = Omit<
  Selectable<PayoutTable>,
  'closedRuns' | 'closedAtState' | 'nextRestartAt' | 'amount' | 'currency' | 'payee' | 'returnedAs'
>;

/** Outcome of one POST as far as its sender learned it; null: unknown (the sender may have died). */
export type AttemptOutcome = 'accepted' | 'not-sent' | 'refused' | 'exists' | 'ambiguous';

/** `absent`: proven, or said by people, never to have become an order. `unpaid`, `paid`: how its order ended. */
export type Resolved = 'absent' | 'unpaid' | 'paid';

interface SendAttemptTable {
  /** The payout's own reference or that of its exchange. */
  reference: string;
  attempt: number;
  runId: string;
  activityId: string;
  sentAt: number;
  /** Bank time (epoch ms, as then measured) from which lists show what was sent. Null for what is no order. */
  listedFrom: number | null;
  outcome: AttemptOutcome | null;
  orderId: string | null;
  code: number | null;
  /** When the outcome was recorded; null: no outcome. */
  answeredAt: number | null;
  /** The order as sent; null for what is none (a beneficiary). For a card request: a `SentCardRequest`. */
  request: Json<SentOrder, SentOrder | SentCardRequest> | null;
  /** How a run resolved the attempt, which then no longer prevents an unpaid end; null: unresolved. */
  resolved: Resolved | null;
}
export type SendAttempt = Selectable<SendAttemptTable>;

/** An order that watches poll for: every reference sent or about to be sent, until its payout knows the end. */
interface OpenOrderTable {
  /** The reference sent to the bank (`client_order_id`). */
  reference: string;
  uid: string;
  currency: string;
  /** Workflow that owns the reference. */
  workflowId: string;
  openedAt: number;
  orderId: string | null;
  /** Status last signalled to the owner; null: none, or it must be signalled again. */
  notifiedStatus: string | null;
  /** Next read by id of an order older than the poll's window; null while the window covers it. */
  nextReadAt: number | null;
}
export type OpenOrder = Selectable<OpenOrderTable>;
export interface RefusedRowTable {
  batchId: string;
  row: number;
  line: number;
  /** Values as written; empty if they were not read completely or came in a bank message. */
  instruction: Json<Record<string, string>>;
  /** Its ids in a bank message. */
  original: Json<OriginalTransaction> | null;
  /** Reference of the payout that claimed the row before. */
  reference: string | null;
  findings: Json<{ column: string | null; rule: string; message: string }[]>;
}

/** A switch that is off: who switched it off, and why. */
export interface SwitchRecord {
  scope: SwitchScope;
  key: string;
  reason: string;
  by: string;
  at: number;
}

interface IncidentTable {
  /** Id for people to type. */
  incidentId: string;
  reference: string;
  orderId: string;
  kind: IncidentKind;
  /** What differs, and both values; empty where the order itself is the incident. */
  field: Generated<string>;
  ours: Generated<string>;
  shown: Generated<string>;
  orderShown: Json<ShownOrder> | null;
  /** User of the payout. */
  uid: string | null;
  seenAt: number;
  acknowledgedBy: string | null;
  acknowledgedReason: string | null;
  acknowledgedAt: number | null;
}
export type IncidentRow = Selectable<IncidentTable>;

export interface IdempotencyKeyTable {
  /** Name of the caller's token; empty for an unnamed caller. */
  caller: string;
  key: string;
  requestSha256: string;
  /** Id for the batch of this request, if it creates one. */
  batchId: string;
  /** Process that works on it, until `heldUntil` unless it extends that. */
  owner: string;
  heldUntil: number;
  /** HTTP status of the answer; null: none yet. */
  status: number | null;
  body: string | null;
  createdAt: number;
}
