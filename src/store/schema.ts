import type { Generated, Kysely } from 'kysely';
import type { BatchControl, PayoutState } from '../domain/payout-state.ts';
import type { IncidentKind } from '../domain/reconciliation.ts';
import type { AttemptOutcome } from './store.ts';

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
  unasked_orders: UnaskedOrderTable;
  incidents: { reference: string; order_id: string; kind: IncidentKind; seen_at: number };
  audit: AuditTable;
}

export type Database = Kysely<Tables>;

export interface BatchTable {
  batch_id: string;
  file: string;
  sha256: string;
  by: string | null;
  control: BatchControl;
  total: number;
  created_at: number;
  ended_at: number | null;
}

export interface PayoutTable {
  reference: string;
  workflow_id: string;
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
  by: string | null;
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

export interface UnaskedOrderTable {
  order_id: string;
  uid: string;
  currency: string;
  client_order_id: string | null;
  seen_at: number;
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
