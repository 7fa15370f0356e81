import { type Kysely, sql } from 'kysely';

/** What a store knows of its own past. `src/store/past-schema.ts` says what the columns hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create table resumptions (at bigint not null, since bigint not null, why text not null)').execute(db);
  await sql.raw('create index resumptions_at on resumptions (at)').execute(db);
}
