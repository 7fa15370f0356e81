import { type Kysely, sql } from 'kysely';

/** What the bank has shown. `src/store/schema.ts` says what the columns hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of SHOWN.split(';\n')) await sql.raw(statement).execute(db);
}

const SHOWN = `
create table returns (
  order_id text primary key,
  reference text not null,
  amount text not null, currency text not null,
  reason_code text, reason_text text,
  shown_by text not null, other_id text unique,
  seen_at bigint not null
);
create index returns_reference on returns (reference);

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
)`;
