import { type Kysely, sql } from 'kysely';

/** What the bank has booked. `src/store/schema.ts` says what the columns hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS.split(';\n')) await sql.raw(statement).execute(db);
}

const STATEMENTS = `
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
  reference text, line_ids text not null, candidates text not null,
  ours text, our_currency text not null, booked text,
  on_day text not null,
  found_at bigint not null, gone_at bigint,
  incident_id text
);
create index discrepancies_uid on discrepancies (uid, on_day);
create index discrepancies_reference on discrepancies (reference)`;
