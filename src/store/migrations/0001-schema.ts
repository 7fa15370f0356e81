import { type Kysely, sql } from 'kysely';
import type { StoreKind } from '../engine/store-url.ts';

/** Creates all tables of the first release. `src/store/schema.ts`, and the `*-tables.ts` beside it, say what the columns hold. */
export async function up(db: Kysely<unknown>, kind: StoreKind): Promise<void> {
  for (const statement of schema(kind).split(';\n')) await sql.raw(statement).execute(db);
}

const schema = (kind: StoreKind): string => {
  // Only with type `integer` does SQLite use the number as the table's own row key.
  const number = kind === 'file' ? 'integer' : 'bigint';
  // A crash may empty the table, so no booking waits for the disk. A file has no such tables.
  const unlogged = kind === 'file' ? '' : 'unlogged';
  return `
create table meta (key text primary key, value text not null);
create ${unlogged} table call_budgets (key text primary key, booked_until bigint not null);

create table switches (
  scope text not null, key text not null,
  reason text not null, by text not null, at bigint not null,
  constraint switches_key primary key (scope, key)
);

create table idempotency_keys (
  caller text not null, key text not null,
  request_sha256 text not null, batch_id text not null,
  owner text not null, held_until bigint not null,
  status integer, body text,
  created_at bigint not null,
  constraint idempotency_keys_key primary key (caller, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

create table batches (
  batch_id text primary key,
  file text not null, sha256 text not null, by text,
  control text not null, control_reason text,
  total integer not null, canary integer,
  message text, message_id text,
  retry_of text,
  held_until bigint, traceparent text,
  created_at bigint not null, ended_at bigint, erased_at bigint
);
create index batches_message_id on batches (message_id);

create table refused_rows (
  batch_id text not null references batches (batch_id), row integer not null, line integer not null,
  instruction text not null, original text, reference text,
  findings text not null,
  constraint refused_rows_key primary key (batch_id, row)
);

create table answers (
  batch_id text not null, version integer not null,
  message_id text not null, supersedes text,
  created_at bigint not null,
  constraint answers_pk primary key (batch_id, version)
);

create table answered_transactions (
  batch_id text not null, version integer not null, part integer not null,
  transactions text not null,
  constraint answered_transactions_pk primary key (batch_id, version, part)
);

create table payouts (
  reference text primary key,
  workflow_id text not null,
  kind text default 'payout' not null,
  uid text not null, document_id text not null, generation integer not null,
  batch_id text references batches (batch_id), row integer,
  instruction text not null, payload_digest text not null,
  amount text not null, currency text not null, sold_currency text,
  account_id text, beneficiary_id text, payee text,
  priority integer default 1 not null,
  by text, original text,
  look_alike_key text, look_alike_account text, look_alike_of text,
  state text not null, state_since bigint default 0 not null, reason text, reason_code text, funds_needed text,
  came_back text, returned_as text,
  order_id text,
  fee text, fee_currency text,
  claim_run_id text, term integer default 0 not null, assessed text,
  closed_runs integer default 0 not null, closed_at_state text, next_restart_at bigint,
  released_at bigint, created_at bigint not null, updated_at bigint not null, ended_at bigint,
  erased_at bigint,
  constraint payouts_document unique (uid, document_id, generation),
  constraint payouts_batch_row unique (batch_id, row)
);
create index payouts_batch_state on payouts (batch_id, state, released_at);
create index payouts_workflow_id on payouts (workflow_id);
create index payouts_order_id on payouts (order_id);
create index payouts_document_id on payouts (document_id);
create index payouts_lane on payouts (state, account_id);
create index payouts_sold_currency on payouts (updated_at, uid, sold_currency, created_at) where sold_currency is not null;
create index payouts_look_alike on payouts (look_alike_key, created_at);
-- A release asks for the next rows repeatedly; without this index it would step over all rows released before.
create index payouts_release_order on payouts (batch_id, priority, row) where released_at is null;
create index payouts_unended on payouts (batch_id, reference) where released_at is not null and ended_at is null;
create index payouts_duplicates on payouts (uid) where reason_code = 'duplicate-suspected';
-- Alone answers what waits for people. Must match the query's condition; written so that no other index fits it.
create index payouts_waiting on payouts (created_at, row, reference, state, uid, account_id, currency, by)
  where coalesce(state, '') in ('awaiting-approval', 'awaiting-bank-approval', 'held', 'awaiting-funds', 'needs-operator');
-- Includes the condition's own column, so that SQLite need not read the table.
create index payouts_open on payouts (state, created_at, state_since, ended_at) where ended_at is null;
-- What is to be erased when its time has come. Must match the query's condition.
create index payouts_unerased on payouts (ended_at, reference) where erased_at is null and ended_at is not null;
-- The order of lists of payouts, newest first.
create index payouts_listed on payouts (created_at desc, (coalesce("row", 0)), reference);
-- Alone answers what was paid in a period. Must match the query's condition; written so that no other index fits it.
create index payouts_paid on payouts (ended_at, kind, currency, amount, state) where coalesce(state, '') = 'completed';
create index payouts_look_alike_account on payouts (look_alike_account, created_at);

create table send_attempts (
  reference text not null, attempt integer not null,
  run_id text not null, activity_id text not null,
  request text,
  sent_at bigint not null, listed_from bigint,
  outcome text, order_id text, code integer,
  answered_at bigint,
  resolved text,
  constraint send_attempts_key primary key (reference, attempt)
);
-- Must match the query's condition word for word, or SQLite does not use the index.
create index send_attempts_unknown on send_attempts (sent_at, reference)
  where resolved is null and (outcome is null or outcome = 'ambiguous');
create index send_attempts_sent on send_attempts (sent_at, reference);

create table open_orders (
  reference text not null, uid text not null, currency text not null,
  workflow_id text not null,
  opened_at bigint not null,
  order_id text, notified_status text, next_read_at bigint,
  constraint open_orders_key primary key (reference, uid, currency)
);
create index open_orders_watch on open_orders (uid, currency, opened_at);

create table watches (
  uid text not null, currency text not null,
  polled_at bigint not null,
  constraint watches_key primary key (uid, currency)
);

create table incidents (
  reference text not null, order_id text not null, kind text not null,
  field text default '' not null, ours text default '' not null, shown text default '' not null,
  incident_id text, uid text, order_shown text, seen_at bigint not null,
  acknowledged_by text, acknowledged_reason text, acknowledged_at bigint,
  constraint incidents_key primary key (reference, order_id, kind, field, shown)
);
create unique index incidents_id on incidents (incident_id);
create index incidents_seen on incidents (seen_at, incident_id);
create index incidents_second_orders on incidents (uid) where kind = 'second-order' and acknowledged_at is null;
-- "kind" is not first, or SQLite would use this index to look up second orders, which have one by user.
create index incidents_open on incidents (seen_at, kind) where acknowledged_at is null;

create table signed_decisions (
  id text primary key,
  store_id text not null,
  question text not null, decision text not null,
  reference text not null, digest text not null, subject text not null, remark text not null,
  signed_at bigint not null, expires_at bigint not null,
  credential text not null, signature text not null,
  taken_at bigint not null, used_at bigint
);
create index signed_decisions_about on signed_decisions (reference, question, digest, taken_at);
create index signed_decisions_taken on signed_decisions (taken_at, id);

create table plan_rows (
  plan text not null, reference text not null,
  digest text not null, leaf_index bigint not null, path text not null,
  constraint plan_rows_pk primary key (plan, reference)
);

create table payees (
  uid text not null, payee_id text not null, digest text not null,
  name text, name_as_shown text, name_in_small text, country text,
  items text, earlier text,
  seen_at bigint not null, changed_at bigint,
  constraint payees_pk primary key (uid, payee_id)
);
create index payees_name_as_shown on payees (uid, name_as_shown);
create index payees_name_in_small on payees (uid, name_in_small);
create index payees_country on payees (uid, country);

create table payee_payments (
  reference text primary key,
  uid text not null, payee_id text not null, digest text not null,
  amount text not null, currency text not null,
  paid_at bigint not null
);
create index payee_payments_payee on payee_payments (uid, payee_id, paid_at);

create table payee_checks (
  uid text not null, kind text not null, provider text not null, payee text not null,
  verdict text not null, name text, other_name text, case_id text, why text,
  asked_at bigint not null,
  constraint payee_checks_pk primary key (uid, kind, provider, payee)
);

create table card_payments (
  merchant_request_id text primary key,
  workflow_id text not null, first_run_id text, run_id text,
  amount text not null, currency text not null, payment_type text not null, digest text not null,
  by text, client_secret_sha256 text,
  bin text, last_four text,
  state text not null, reason text, payment_id text,
  contradicted_at bigint, created_at bigint not null, updated_at bigint not null, ended_at bigint
);
create index card_payments_newest on card_payments (created_at);
-- Must match the query's condition word for word, or SQLite does not use the index.
create index card_payments_for_people on card_payments (updated_at)
  where state = 'needs-operator' or contradicted_at is not null;

create table card_requests (request_id text primary key, merchant_request_id text not null);

create table card_payment_ids (
  payment_id text primary key,
  merchant_request_id text not null, linked_at bigint not null
);
create index card_payment_ids_owner on card_payment_ids (merchant_request_id);

create table card_waiters (
  merchant_request_id text not null, payout_workflow_id text not null,
  constraint card_waiters_key primary key (merchant_request_id, payout_workflow_id)
);

create table card_events (
  kind text not null, payment_id text not null, status text not null,
  trust text not null, receipt_id text not null unique,
  merchant_request_id text,
  amount text, currency text,
  received_at bigint not null, effect text, delivered_at bigint, reads integer not null,
  constraint card_events_key primary key (payment_id, kind, status)
);
create index card_events_owner on card_events (merchant_request_id);
create index card_events_undelivered on card_events (received_at, receipt_id) where effect is null;

create table audit_log (
  seq ${number} primary key,
  at bigint not null, actor text not null, action text not null, subject text not null, detail text not null,
  leaf_hash text not null
);
create index audit_log_subject on audit_log (subject, seq);
create index audit_log_comments on audit_log (at) where action = 'commented';

create table audit_tree (id ${number} primary key, size bigint not null, edge text not null);
insert into audit_tree (id, size, edge) values (0, 0, '[]');

create table audit_checkpoints (
  size ${number} primary key,
  edge text not null, note text not null, at bigint not null,
  copied_at bigint, mailed_at bigint
);
create index audit_checkpoints_uncopied on audit_checkpoints (size) where copied_at is null;
create index audit_checkpoints_unmailed on audit_checkpoints (size) where mailed_at is null;

create table outbox (
  position ${number} primary key,
  kind text not null, subject text not null, uid text, at bigint not null
);
-- Every writer of an event locks the head's row, so that what is deleted up to has a row elsewhere.
create table outbox_head (id ${number} primary key, position bigint not null);
insert into outbox_head (id, position) values (0, 0);
create table outbox_tail (id ${number} primary key, position bigint not null);
insert into outbox_tail (id, position) values (0, 0);

create table subscriptions (
  name text primary key,
  position bigint not null,
  owner text, owned_until bigint,
  failures bigint not null, failing_since bigint, why text, next_try_at bigint,
  parked_at bigint, delivered_at bigint
);

create table refused_events (
  name text not null, position bigint not null, subject text not null,
  since bigint not null, failures bigint not null, why text not null, next_try_at bigint not null,
  parked_at bigint,
  constraint refused_events_pk primary key (name, position)
);

-- What a store knows of its own past.
create table resumptions (at bigint not null, since bigint not null, why text not null);
create index resumptions_at on resumptions (at);

create table senders (
  sender_id text primary key,
  machine text not null, boot text not null, place text not null, place_mark text not null,
  pid integer not null, process_mark text not null,
  pulses bigint not null, alive_at bigint not null, ended_at bigint,
  outages text
);
create index senders_alive on senders (alive_at);

-- What the bank has shown.
create table returns (
  order_id text primary key,
  reference text not null,
  amount text not null, currency text not null,
  reason_code text, reason_text text,
  shown_by text not null, other_id text unique,
  seen_at bigint not null
);
create index returns_reference on returns (reference, shown_by, other_id, amount, seen_at, order_id);

create table unasked_orders (
  order_id text primary key,
  uid text not null, currency text not null,
  client_order_id text, stem text,
  shown text,
  seen_at bigint not null
);
create index unasked_orders_stem on unasked_orders (stem);

create table booked_exchanges (
  reference text primary key,
  order_id text not null,
  sold_amount text, sold_currency text, bought_amount text, bought_currency text, rate text,
  fee text, fee_currency text,
  seen_at bigint not null
);

create table paid_orders (
  reference text primary key,
  order_id text not null,
  amount text, currency text, account_id text,
  seen_at bigint not null
);

create table accepted_differences (reference text, order_id text, field text, shown text,
  constraint accepted_differences_key primary key (reference, order_id, field, shown));
create table decisions (
  reference text not null, digest text not null, by text not null,
  at bigint not null,
  constraint decisions_key primary key (reference, digest, by)
);

create table list_reads (
  uid text not null, currency text not null,
  began_at bigint not null, reaches_from bigint not null, resumption bigint,
  constraint list_reads_key primary key (uid, currency)
);
create table list_lags (
  uid text not null, currency text not null, lag_ms bigint not null,
  constraint list_lags_key primary key (uid, currency)
);

-- What the bank has booked.
create table statements (
  statement_id text primary key,
  account_id text not null, uid text not null, currency text not null,
  kind text not null, format text not null, number text not null,
  from_day text not null, to_day text not null,
  opening text, closing text,
  entries bigint not null,
  digest text not null, file text not null,
  taken_by text, taken_at bigint, erased_at bigint
);
create index statements_account on statements (account_id, to_day);
create index statements_uid on statements (uid, to_day);

create table statement_entries (
  entry_id text primary key,
  statement_id text not null, account_id text not null,
  position bigint not null, booked_on text not null,
  facts text not null
);
create index statement_entries_account on statement_entries (account_id, booked_on);
create index statement_entries_statement on statement_entries (statement_id, booked_on, entry_id);

create table statement_details (
  entry_id text not null, part bigint not null,
  facts text not null,
  constraint statement_details_key primary key (entry_id, part)
);

create table entry_matches (
  line_id text not null, movement_id text not null,
  entry_id text not null, uid text not null,
  reference text, kind text not null, found_by text not null, amount text not null,
  constraint entry_matches_key primary key (line_id, movement_id)
);
create index entry_matches_entry on entry_matches (entry_id);
create index entry_matches_reference on entry_matches (reference);

create table entry_decisions (
  line_id text primary key,
  uid text not null, reference text, by text not null, reason text not null,
  at bigint not null
);

create table discrepancies (
  discrepancy_id text primary key,
  kind text not null,
  uid text not null, account_id text not null, currency text not null,
  reference text, batch_id text, line_ids text not null, candidates text not null,
  ours text, our_currency text not null, booked text,
  on_day text not null,
  found_at bigint not null, gone_at bigint,
  incident_id text
);
create index discrepancies_uid on discrepancies (uid, on_day);
create index discrepancies_reference on discrepancies (reference);

-- Closed periods, and what the ledger of an account adds up to.
create table period_documents (
  digest text primary key,
  from_day text not null, to_day text not null, version bigint not null,
  supersedes text,
  text text not null,
  closed_by text not null, closed_at bigint not null,
  reopened_at bigint, reopened_why text,
  constraint period_documents_version unique (from_day, to_day, version)
);
create index period_documents_days on period_documents (to_day, from_day);

create table balance_steps (
  account_id text not null, on_day text not null, at bigint not null,
  unexplained text not null,
  constraint balance_steps_key primary key (account_id, on_day)
);

-- Of what people were notified, so that it is said once.
create table reminders (
  reference text primary key,
  state_since bigint not null, until bigint not null
);
create table advices (
  reference text not null, about text not null,
  outcome text not null, at bigint not null,
  constraint advices_key primary key (reference, about)
);

-- Sign-outs of which a sign-in provider has notified a gateway, for all gateways.
create table sign_outs (
  id text primary key,
  subject text, sid text,
  issued_at bigint not null, at bigint not null
);
create index sign_outs_by_subject on sign_outs (subject);
create index sign_outs_by_sid on sign_outs (sid)`;
};
