import type { Generated, Kysely } from 'kysely';
import type { CardEvent, CardPaymentType, CardState } from '../domain/card-payment.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { BatchControl, PayoutState } from '../domain/payout-state.ts';
import type { IncidentKind } from '../domain/reconciliation.ts';
import type { SwitchScope } from '../domain/switches.ts';
import type { CardEventEffect } from './card-store.ts';
import type { AttemptOutcome, Settled } from './store.ts';

/**
 * Tables of the store, the same on SQLite and PostgreSQL. Money is text (decimal strings), times are integers (epoch
 * milliseconds), structured values are JSON text.
 */
export interface Tables {
  meta: { key: string; value: string };
  batches: BatchTable;
  payouts: PayoutTable;
  send_attempts: SendAttemptTable;
  open_orders: OpenOrderTable;
  watches: { uid: string; currency: string; swept_at: number };
  returns: { order_id: string; reference: string; amount: string; currency: string; seen_at: number };
  decisions: DecisionTable;
  unasked_orders: UnaskedOrderTable;
  refused_rows: RefusedRowTable;
  switches: SwitchTable;
  incidents: IncidentTable;
  audit: AuditTable;
  idempotency_keys: IdempotencyKeyTable;
  card_payments: CardPaymentTable;
  card_requests: { request_id: string; merchant_request_id: string };
  card_payment_ids: { payment_id: string; merchant_request_id: string; linked_at: number };
  card_events: CardEventTable;
  card_waiters: { merchant_request_id: string; payout_workflow_id: string };
}

export type Database = Kysely<Tables>;

export interface BatchTable {
  batch_id: string;
  file: string;
  sha256: string;
  by: string | null;
  control: BatchControl;
  total: number;
  /** JSON: the head of the bank message it came as. */
  message: string | null;
  /** Its message id. */
  message_id: string | null;
  /** The batch whose unpaid rows it pays again. */
  retry_of: string | null;
  /** How many rows must be completed before the others are released; null: none, or no longer. */
  canary: number | null;
  /** Why the batch was paused by itself. */
  control_reason: string | null;
  created_at: number;
  ended_at: number | null;
}

/** A row is a switch that is off. */
export interface SwitchTable {
  scope: SwitchScope;
  key: string;
  reason: string;
  by: string;
  at: number;
}

export interface RefusedRowTable {
  batch_id: string;
  row: number;
  line: number;
  /** JSON: the values as written; empty where they were not read whole, or came in a bank message. */
  instruction: string;
  /** JSON: its ids in a bank message. */
  original: string | null;
  /** Of the payout that took the row before. */
  reference: string | null;
  /** JSON: `[{column, rule, message}]`. */
  findings: string;
}

export interface PayoutTable {
  reference: string;
  workflow_id: string;
  kind: Generated<PayoutKind>;
  uid: string;
  document_id: string;
  generation: number;
  batch_id: string | null;
  row: number | null;
  /** JSON: the instruction as claimed. */
  instruction: string;
  payload_digest: string;
  amount: string;
  currency: string;
  /** The instruction's account: rows of one account wait in one lane. */
  account_id: string | null;
  /** The instruction's payee, where it names one by the bank's id. */
  beneficiary_id: string | null;
  /** Release order, smaller first; 1 is normal. */
  priority: Generated<number>;
  by: string | null;
  /** JSON: its ids in the bank message it came with. */
  original: string | null;
  /** Digest of user, payee, amount and currency. */
  look_alike_key: string | null;
  /** Reference of an earlier payout with the same key, found when this one was claimed. */
  look_alike_of: string | null;
  state: PayoutState;
  /** JSON: `{code, message}`. */
  reason: string | null;
  /** `code` of `reason`. */
  reason_code: string | null;
  /** What a row that waits for money needs on its account, in the account's currency. */
  funds_needed: string | null;
  order_id: string | null;
  fee: string | null;
  fee_currency: string | null;
  claim_run_id: string | null;
  /** How many runs have held the claim. */
  term: Generated<number>;
  /** JSON: what the holder of the claim last read about it, see `Assessment`. */
  assessed: string | null;
  /** Runs closed in a row without progress. */
  closed_runs: Generated<number>;
  /** State and order id when the last of them was found. */
  closed_at_state: string | null;
  next_restart_at: number | null;
  released_at: number | null;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
}

export interface SendAttemptTable {
  reference: string;
  attempt: number;
  run_id: string;
  activity_id: string;
  sent_at: number;
  outcome: AttemptOutcome | null;
  order_id: string | null;
  code: number | null;
  /** JSON: the order as it was sent. */
  request: string | null;
  settled: Settled | null;
}

/** Who approved what is paid under a digest. */
export interface DecisionTable {
  reference: string;
  digest: string;
  by: string;
  at: number;
}

export interface OpenOrderTable {
  reference: string;
  uid: string;
  currency: string;
  workflow_id: string;
  opened_at: number;
  order_id: string | null;
  notified_status: string | null;
  next_look_at: number | null;
}

export interface IncidentTable {
  /** For people to type. */
  incident_id: string;
  reference: string;
  order_id: string;
  kind: IncidentKind;
  /** Of the payout. */
  uid: string | null;
  seen_at: number;
  acknowledged_by: string | null;
  acknowledged_reason: string | null;
  acknowledged_at: number | null;
}

export interface UnaskedOrderTable {
  order_id: string;
  uid: string;
  currency: string;
  client_order_id: string | null;
  seen_at: number;
}

export interface IdempotencyKeyTable {
  /** Name of the caller's token; empty for a caller without a name. */
  caller: string;
  key: string;
  request_sha256: string;
  /** The batch this request makes, if it makes one. */
  batch_id: string;
  /** Who works on it, until `held_until` unless it says that it still does. */
  owner: string;
  held_until: number;
  /** HTTP status of the answer; null before. */
  status: number | null;
  body: string | null;
  created_at: number;
}

/** Nothing of a card but its first six and last four digits. */
export interface CardPaymentTable {
  merchant_request_id: string;
  workflow_id: string;
  amount: string;
  currency: string;
  payment_type: CardPaymentType;
  digest: string;
  by: string | null;
  client_secret_sha256: string | null;
  bin: string | null;
  last_four: string | null;
  state: CardState;
  /** JSON: `{code, message}`. */
  reason: string | null;
  payment_id: string | null;
  /** The run that held the claim first: whatever run comes later must know that something may have been sent. */
  first_run_id: string | null;
  /** The run that holds it now. */
  run_id: string | null;
  contradicted_at: number | null;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
}

export interface CardEventTable {
  kind: CardEvent['kind'];
  /** Empty for a completion that names the 3-D Secure session alone. */
  payment_id: string;
  status: string;
  trust: CardEvent['trust'];
  receipt_id: string;
  /** As the event said it; what `card_payment_ids` says counts first. */
  merchant_request_id: string | null;
  received_at: number;
  effect: CardEventEffect | null;
  delivered_at: number | null;
  looks: number;
}

export interface AuditTable {
  seq: Generated<number>;
  at: number;
  actor: string;
  action: string;
  subject: string;
  /** JSON: string -> string. */
  detail: string;
}
