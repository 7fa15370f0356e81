import { sql } from 'kysely';
import { Client } from 'pg';
import { PostgresNamingDialect } from './engine/column-names.ts';
import { type Database, openDatabase } from './engine/database.ts';
import { migrateAndGrant, migrateIfNeeded } from './engine/migrate.ts';
import { openPostgresPool } from './engine/postgres-pool.ts';
import { mayMigrate, OWNER, WRITER } from './engine/roles.ts';
import { factsOf, type StoreFileFacts } from './engine/store-file.ts';
import { StoreFileError } from './errors.ts';
import { assertSameIdentity } from './identity.ts';
import { detailOf, type RestoreOrder } from './restore.ts';
import { recordRestore } from './restored.ts';

/** `url`: the restored database, `postgres://user:password@host/database`. */
interface RestoredDatabase extends Pick<RestoreOrder, 'identity' | 'by' | 'now' | 'confirm'> {
  url: string;
}

/** Name of the database for people, without user and password. */
export function nameOfDatabase(url: string): string {
  const { host, port, database } = new Client({ connectionString: url });
  return `PostgreSQL database ${database} on ${host}:${port}`;
}

/**
 * Records in a database restored by PostgreSQL's own tools that this was done. Do this before anything else uses it: what others
 * sent after its last change may be missing.
 *
 * @returns what the database holds
 * @throws StoreFileError if another process is connected (an idle one is not) or it was never used with a bank,
 * StoreIdentityError if it belongs to another bank or namespace
 */
export async function recordRestoredDatabase({
  url,
  identity,
  by,
  now,
  confirm,
}: RestoredDatabase): Promise<StoreFileFacts> {
  await using db = openDatabase(new PostgresNamingDialect({ pool: openPostgresPool(url) }));
  await assertAlone(db);
  // What a database lets its roles do is not in a dump.
  if (await mayMigrate(db)) await migrateAndGrant(db);
  else await migrateIfNeeded(db, { kind: 'postgres' });
  const facts = await factsOf(db, 'PostgreSQL');
  assertSameIdentity(facts.identity, identity);
  await confirm(facts);
  const detail = detailOf(facts, null);
  await recordRestore(db, { at: now, from: facts.lastChangeAt ?? 0, by, detail });
  return facts;
}

/** Runs on the first connection of the pool, the only one of this process. */
async function assertAlone(db: Database): Promise<void> {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database()
    and usename in (current_user, ${OWNER}, ${WRITER}) and pid <> pg_backend_pid()`.execute(db);
  if (rows.length === 0) return;
  throw new StoreFileError(
    'store-in-use',
    'another process is connected to the database',
    'First stop the workers, the gateway and all other commands that use it, then restore it again.',
  );
}
