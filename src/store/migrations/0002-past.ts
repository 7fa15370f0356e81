import { type Kysely, sql } from 'kysely';

/**
 * What a store knows of its own past, and when it last looked at the bank's lists. `src/store/past-schema.ts` and `schema.ts` say
 * what the columns hold.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create table resumptions (at bigint not null, since bigint not null, why text not null)').execute(db);
  await sql.raw('create index resumptions_at on resumptions (at)').execute(db);
  await sql.raw(LIST_LOOKS).execute(db);
}

const LIST_LOOKS = `create table list_looks (
  uid text not null, currency text not null,
  began_at bigint not null, reaches_from bigint not null, resumption bigint,
  constraint list_looks_key primary key (uid, currency)
)`;
