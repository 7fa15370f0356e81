import { type Kysely, sql } from 'kysely';

/** Makes the cost of a metrics scrape proportional to open work, never to ended work. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('payouts_open')
    .on('payouts')
    // Includes the condition's own column, so that SQLite need not read the table.
    .columns(['state', 'created_at', 'updated_at', 'ended_at'])
    .where(sql.ref('ended_at'), 'is', null)
    .execute();
  await db.schema
    .createIndex('send_attempts_unknown')
    .on('send_attempts')
    .columns(['sent_at', 'reference'])
    // Must match the query's condition word for word, or SQLite does not use the index.
    .where(sql<boolean>`settled is null and (outcome is null or outcome = 'ambiguous')`)
    .execute();
  await db.schema
    .createIndex('incidents_open')
    .on('incidents')
    // `kind` is not first, or SQLite would use this index to look up second orders, which have one by user.
    .columns(['seen_at', 'kind'])
    .where(sql.ref('acknowledged_at'), 'is', null)
    .execute();
}
