import { type Kysely, sql } from 'kysely';

/** What a store knows of its own past. `src/store/schema.ts` says what the columns hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of SCHEMA.split(';\n')) await sql.raw(statement).execute(db);
}

const SCHEMA = `
create table resumptions (at bigint not null, since bigint not null, why text not null);
create index resumptions_at on resumptions (at);

create table senders (
  sender_id text primary key,
  machine text not null, boot text not null, place text not null, place_mark text not null,
  pid integer not null, process_mark text not null,
  pulses bigint not null, alive_at bigint not null, ended_at bigint,
  outages text
);
create index senders_alive on senders (alive_at)`;
