import type { Generated, Selectable } from 'kysely';
import type { OriginalMessage, OriginalTransaction } from '../domain/bank-message.ts';
import type { Assessment } from '../domain/gates.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { BatchControl, PayoutState, Reason } from '../domain/payout-state.ts';
import type { IncidentKind } from '../domain/reconciliation.ts';
import type { SentCardRequest, SentOrder } from '../domain/sent-order.ts';
import type { SwitchScope } from '../domain/switch-scope.ts';
import type { AnswerTables } from './answer-schema.ts';
import type { AuditTables } from './audit-schema.ts';
import type { CardTables } from './card-schema.ts';
import type { DecisionTables } from './decision-schema.ts';
import type { Json, JsonColumns } from './engine/json-columns.ts';
import type { OutboxTables } from './outbox-schema.ts';
import type { PastTables } from './past-schema.ts';
import type { ShownTables } from './shown-schema.ts';

/**
 * Tables of the store with their rows as callers see them, the same on SQLite and PostgreSQL. On disk names are snake_case. Money
 * is text (decimal strings), times are integers (epoch milliseconds), `Json` is text.
 */
export interface Tables
  extends AnswerTables,
    AuditTables,
    CardTables,
    DecisionTables,
    OutboxTables,
    PastTables,
    ShownTables {
  meta: { key: string; value: string };
  batches: BatchTable;
  payouts: PayoutTable;
  sendAttempts: SendAttemptTable;
  openOrders: OpenOrderTable;
  watches: { uid: string; currency: string; sweptAt: number };
  refusedRows: RefusedRowTable;
  switches: SwitchRecord;
  incidents: IncidentTable;
  idempotencyKeys: IdempotencyKeyTable;
  callBudgets: { key: string; bookedUntil: number };
}

export const JSON_COLUMNS: JsonColumns<Tables> = {
  answeredTransactions: { told: true },
  auditCheckpoints: { edge: true },
  auditTree: { edge: true },
  batches: { message: true },
  cardPayments: { reason: true },
  payouts: { instruction: true, original: true, reason: true, assessed: true },
  planRows: { path: true },
  refusedRows: { instruction: true, original: true, findings: true },
  sendAttempts: { request: true },
  unaskedOrders: { shown: true },
};

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
  /** Sold by its exchange, or by a stand-alone one: the other list that shows its orders. Null: nothing was. */
  soldCurrency: string | null;
  /** Account of the instruction; rows of one account wait in one lane. */
  accountId: string | null;
  /** Beneficiary id, if the instruction names one. */
  beneficiaryId: string | null;
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
  endedAt: number | null;
}

/** Columns of a payout that are written as it proceeds; its claim writes the others. */
export type WrittenLater =
  | 'soldCurrency'
  | ('claimRunId' | 'term' | 'assessed' | 'fundsNeeded' | 'reason' | 'reasonCode' | 'orderId' | 'fee' | 'feeCurrency')
  | ('closedRuns' | 'closedAtState' | 'nextRestartAt' | 'releasedAt' | 'endedAt');

/**
 * Without the closed runs, which only a `QuietPayout` shows, and without `amount` and `currency`, which only searches and sums
 * read: what is shown and decided is the instruction, which digests cover.
 */
export type PayoutRecord = Omit<
  Selectable<PayoutTable>,
  'closedRuns' | 'closedAtState' | 'nextRestartAt' | 'amount' | 'currency'
>;

/** Outcome of one POST as far as its sender learned it; null: unknown (the sender may have died). */
export type AttemptOutcome = 'accepted' | 'not-sent' | 'refused' | 'exists' | 'ambiguous';

/** `absent`: proven, or said by people, never to have become an order. `unpaid`, `paid`: how its order ended. */
export type Settled = 'absent' | 'unpaid' | 'paid';

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
  /** How a run settled the attempt, which then no longer prevents an unpaid end; null: unsettled. */
  settled: Settled | null;
}

export type SendAttempt = Selectable<SendAttemptTable>;

/** An order that watches look for: every reference sent or about to be sent, until its payout knows the end. */
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
  /** Next read by id of an order older than the sweep's window; null while the window covers it. */
  nextLookAt: number | null;
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
