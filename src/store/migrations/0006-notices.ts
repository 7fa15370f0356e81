import { type Kysely, sql } from 'kysely';

/** Of what people were notified, so that it is said once. `src/store/notice-tables.ts` says what the columns hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of NOTICES.split(';\n')) await sql.raw(statement).execute(db);
}

const NOTICES = `
create table reminders (
  reference text primary key,
  state_since bigint not null, until bigint not null
);
create table advices (
  reference text not null, about text not null,
  outcome text not null, at bigint not null,
  constraint advices_key primary key (reference, about)
)`;
