import type { Generated, Selectable } from 'kysely';
import type { OriginalMessage, OriginalTransaction } from '../domain/bank-message.ts';
import type { Assessment } from '../domain/gates.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { BatchControl, PayoutState, Reason } from '../domain/payout-state.ts';
import type { IncidentKind } from '../domain/reconciliation.ts';
import type { SentCardRequest, SentOrder } from '../domain/sent-order.ts';
import type { SwitchScope } from '../domain/switch-scope.ts';
import { ANSWER_JSON, type AnswerTables } from './answer-schema.ts';
import { AUDIT_JSON, type AuditTables } from './audit-schema.ts';
import { CARD_JSON, type CardTables } from './card-schema.ts';
import { DECISION_JSON, type DecisionTables } from './decision-schema.ts';
import type { Json, JsonColumns } from './json-columns.ts';
import type { OutboxTables } from './outbox-schema.ts';

/**
 * Tables of the store, the same on SQLite and PostgreSQL, with their rows as callers see them. On disk the names are in
 * snake_case. Money is text (decimal strings), times are integers (epoch milliseconds), `Json` is text.
 */
export interface Tables extends AnswerTables, AuditTables, CardTables, DecisionTables, OutboxTables {
  meta: { key: string; value: string };
  batches: BatchTable;
  payouts: PayoutTable;
  sendAttempts: SendAttemptTable;
  openOrders: OpenOrderTable;
  watches: { uid: string; currency: string; sweptAt: number };
  returns: ReturnRecord;
  bookedExchanges: BookedExchange;
  unaskedOrders: UnaskedOrder;
  refusedRows: RefusedRowTable;
  switches: SwitchRecord;
  incidents: IncidentTable;
  idempotencyKeys: IdempotencyKeyTable;
  callBudgets: { key: string; bookedUntil: number };
}

export const JSON_COLUMNS: JsonColumns<Tables> = {
  ...ANSWER_JSON,
  ...AUDIT_JSON,
  ...CARD_JSON,
  ...DECISION_JSON,
  batches: { message: true },
  payouts: { instruction: true, original: true, reason: true, assessed: true },
  sendAttempts: { request: true },
  refusedRows: { instruction: true, original: true, findings: true },
};

interface BatchTable {
  batchId: string;
  /** File name as given, without its folder. */
  file: string;
  sha256: string;
  by: string | null;
  control: BatchControl;
  total: number;
  /** Head of the bank message it came as; null for other formats. */
  message: Json<OriginalMessage> | null;
  /** Its message id. */
  messageId: string | null;
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
  /** Data row from 1; null for a payout started without a batch. */
  row: number | null;
  /** As claimed. */
  instruction: Json<PayoutInstruction>;
  payloadDigest: string;
  amount: string;
  currency: string;
  /** The instruction's account: rows of one account wait in one lane. */
  accountId: string | null;
  /** The instruction's payee, where it names one by the bank's id. */
  beneficiaryId: string | null;
  /** Release order, smaller first; 1 is normal. */
  priority: Generated<number>;
  by: string | null;
  /** Its ids in the bank message it came with; null for other formats. */
  original: Json<OriginalTransaction> | null;
  /** Digest of user, payee, amount and currency. */
  lookAlikeKey: string | null;
  /** The same by the payee's account at the bank, where the row names the payee by id and its file was small enough to ask. */
  lookAlikeAccount: string | null;
  /** Reference of an earlier payout with the same key, found when this one was claimed; null when there was none. */
  lookAlikeOf: string | null;
  state: PayoutState;
  reason: Json<Reason> | null;
  /** `code` of `reason`. */
  reasonCode: string | null;
  /** What a row that waits for money needs on its account, in the account's currency. */
  fundsNeeded: string | null;
  orderId: string | null;
  /** Booked fee, from the order record; null until known. */
  fee: string | null;
  feeCurrency: string | null;
  /** Run id of the execution that holds the claim; null until one has taken it. */
  claimRunId: string | null;
  /** How many runs have held the claim: the fencing token of the last one. */
  term: Generated<number>;
  /** What the holder of the claim last read about it: what is sent is made of this. */
  assessed: Json<Assessment> | null;
  /** Runs closed in a row without progress. */
  closedRuns: Generated<number>;
  /** State and order id when the last of them was found. */
  closedAtState: string | null;
  nextRestartAt: number | null;
  /** When the batch handed the row to a workflow; null before. */
  releasedAt: number | null;
  createdAt: number;
  updatedAt: number;
  endedAt: number | null;
}

/** What is kept of closed runs is a `QuietPayout`'s. */
export type PayoutRecord = Omit<Selectable<PayoutTable>, 'closedRuns' | 'closedAtState' | 'nextRestartAt'>;

/** Outcome of one POST as far as the sender learned it; null while unknown (the sender may have died). */
export type AttemptOutcome = 'accepted' | 'not-sent' | 'refused' | 'exists' | 'ambiguous';

/** `absent`: proven never to have become an order, or said so by people. `unpaid`, `paid`: the end of its order. */
export type Settled = 'absent' | 'unpaid' | 'paid';

interface SendAttemptTable {
  /** Reference sent: the payout's own or the derived one of its exchange. */
  reference: string;
  attempt: number;
  runId: string;
  activityId: string;
  sentAt: number;
  /** Epoch ms of the bank's clock, as it was then: lists from here on show what was sent. Null for what is no order. */
  listedFrom: number | null;
  outcome: AttemptOutcome | null;
  orderId: string | null;
  code: number | null;
  /** The order as it was sent; null for what is none (a beneficiary). Under the id of a card request: see `SentCardRequest`. */
  request: Json<SentOrder, SentOrder | SentCardRequest> | null;
  /** What became of it, as far as some run has settled that: it no longer stands against an unpaid end. */
  settled: Settled | null;
}

export type SendAttempt = Selectable<SendAttemptTable>;

/** An order the watch looks for: every reference sent or about to be sent, until its payout has heard the end. */
interface OpenOrderTable {
  /** The reference sent to the bank (`client_order_id`). */
  reference: string;
  uid: string;
  currency: string;
  /** Workflow that owns the reference. */
  workflowId: string;
  openedAt: number;
  orderId: string | null;
  /** Status last signalled to the owner; null when it heard none or asked to hear again. */
  notifiedStatus: string | null;
  /** Next look by id, for an order older than the sweep's window; null while the window covers it. */
  nextLookAt: number | null;
}

export type OpenOrder = Selectable<OpenOrderTable>;

export interface ReturnRecord {
  orderId: string;
  /** Reference of the payout the money came back from. */
  reference: string;
  amount: string;
  currency: string;
  seenAt: number;
}

/** What an exchange came to, as its order at the bank shows it; null is what the bank left out. Amounts without a sign. */
export interface BookedExchange {
  /** Of the payout it was made for, or of the exchange by itself. */
  reference: string;
  orderId: string;
  soldAmount: string | null;
  soldCurrency: string | null;
  boughtAmount: string | null;
  boughtCurrency: string | null;
  /** As the bank writes it. */
  rate: string | null;
  fee: string | null;
  feeCurrency: string | null;
  seenAt: number;
}

/** An order at the bank under no reference of ours. */
export interface UnaskedOrder {
  orderId: string;
  uid: string;
  currency: string;
  clientOrderId: string | null;
  seenAt: number;
}

interface RefusedRowTable {
  batchId: string;
  row: number;
  line: number;
  /** Values as written; empty where they were not read whole, or came in a bank message. */
  instruction: Json<Record<string, string>>;
  /** Its ids in a bank message. */
  original: Json<OriginalTransaction> | null;
  /** Reference of the payout that took the row before. */
  reference: string | null;
  findings: Json<{ column: string | null; rule: string; message: string }[]>;
}

/** A switch that is off, and who switched it off, and why. */
export interface SwitchRecord {
  scope: SwitchScope;
  key: string;
  reason: string;
  by: string;
  at: number;
}

interface IncidentTable {
  /** For people to type. */
  incidentId: string;
  reference: string;
  orderId: string;
  kind: IncidentKind;
  /** Of the payout. */
  uid: string | null;
  seenAt: number;
  acknowledgedBy: string | null;
  acknowledgedReason: string | null;
  acknowledgedAt: number | null;
}

export type IncidentRow = Selectable<IncidentTable>;

interface IdempotencyKeyTable {
  /** Name of the caller's token; empty for a caller without a name. */
  caller: string;
  key: string;
  requestSha256: string;
  /** The batch this request makes, if it makes one. */
  batchId: string;
  /** Who works on it, until `heldUntil` unless it says that it still does. */
  owner: string;
  heldUntil: number;
  /** HTTP status of the answer; null before. */
  status: number | null;
  body: string | null;
  createdAt: number;
}
