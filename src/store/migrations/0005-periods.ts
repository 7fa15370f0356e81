import { type Kysely, sql } from 'kysely';

/** Closed periods, and what the ledger of an account adds up to. `src/store/period-tables.ts` says what the columns hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of PERIODS.split(';\n')) await sql.raw(statement).execute(db);
}

const PERIODS = `
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
)`;
