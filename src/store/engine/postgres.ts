import { setTimeout as pause } from 'node:timers/promises';
import { type PostgresPool, sql } from 'kysely';
import { Pool, type PoolClient, types } from 'pg';
import { type CauseName, causeInWords, causeOf } from '../../domain/causes.ts';
import type { Problem } from '../../domain/problem.ts';
import { doublingPause } from '../../domain/time.ts';
import { StoreRefusedError, StoreUnreachableError } from '../store-errors.ts';
import { type Database, hasOtherShape, isNameRefused } from './database.ts';

/** A statement for pg; a named one is parsed and planned once per connection. */
export interface Statement {
  text: string;
  values?: readonly unknown[];
  name?: string;
}

/** Upper bound of plans kept per connection. */
const STATEMENTS_MAX = 300;
/** Longer value lists rarely recur with the same length, and their plans are large. */
const VALUES_MAX = 40;

/**
 * Names for the prepared statements of this process. PostgreSQL refuses one whose result shape changed because another build
 * added a column (0A000). A pooler that assigns connections per transaction may not know the name (26000), or know it already
 * (42P05).
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();
  #prepared = 0;
  #isOff = false;

  named({ text, values }: Statement): Statement {
    if (this.#isOff || values === undefined || values.length === 0 || values.length > VALUES_MAX)
      return { text, values };
    const name = this.#names.get(text) ?? this.#newName(text);
    return name === undefined ? { text, values } : { text, values, name };
  }

  /** Call after a refusal because of a name: statements then get new names, or none. */
  refused(error: unknown): void {
    this.#names.clear();
    if (!hasOtherShape(error)) this.#isOff = true;
  }

  #newName(text: string): string | undefined {
    if (this.#names.size >= STATEMENTS_MAX) return undefined;
    this.#prepared += 1;
    const name = `payouts-${this.#prepared}`;
    this.#names.set(text, name);
    return name;
  }
}

const INT8 = types.builtins.INT8;
const CONNECT_TIMEOUT_MS = 10_000;
/** As many as `pg` itself opens. */
const CONNECTIONS = 10;

/**
 * Connections to PostgreSQL, at most `connections`; `bigint` columns (times, counts) are read as numbers. Queries throw a Problem:
 * `store-unreachable` if the server does not answer or cannot write now, `store-refused` if it refuses access.
 */
export function openPostgresPool(connectionString: string, connections = CONNECTIONS): PostgresPool {
  const statements = new PreparedStatements();
  const pool = new Pool({
    connectionString,
    application_name: 'payouts',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    max: connections,
    // Others may wait for one: nobody keeps it for ever.
    maxLifetimeSeconds: LIFETIME_S,
    keepAlive: true,
    types: {
      getTypeParser: (type, format) => (type === INT8 ? Number : types.getTypeParser(type, format)),
    },
  });
  // Without these listeners a broken connection would end the process, be it idle or between two statements of a transaction, of
  // which the pool does not notice. The pool replaces both; the next query reports the error.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    const query: Query = client.query.bind(client);
    Object.assign(client, {
      query(first: unknown, ...rest: unknown[]) {
        const [values] = rest;
        // Cursors and pg's own callback calls are passed through.
        if (typeof first !== 'string' || rest.length > 1) return reported(query(first, ...rest));
        return reported(prepared(query, statements, { text: first, values: values as unknown[] | undefined }));
      },
    });
  });
  let isSized = false;
  const connect = async (): Promise<PoolClient> => {
    const client = await connected(pool, connections);
    if (!isSized) {
      isSized = true;
      pool.options.max = Math.min(connections, await shareOf(client));
    }
    return client;
  };
  return { connect: () => reported(connect()), end: () => pool.end(), options: pool.options };
}

const LIFETIME_S = 60;
/** How long a process waits for a connection where all are in use, by itself or by others. */
const CONNECTION_PATIENCE_MS = 30_000;
const PAUSE_FIRST_MS = 100;
const PAUSE_MAX_MS = 2_000;
/** How long it makes do with those that it has after the server had no more. */
const MODEST_MS = 30_000;
const OUT_OF_CONNECTIONS: ReadonlySet<CauseName | undefined> = new Set(['too-many-connections', 'store-pool-busy']);

/**
 * A connection. Where the server has no more, this process makes do with those that it has, and waits with growing pauses of
 * random length: those who wait together do not come back together.
 */
async function connected(pool: Pool, most: number): Promise<PoolClient> {
  const until = performance.now() + CONNECTION_PATIENCE_MS;
  for (let tries = 0; ; tries += 1) {
    try {
      return await pool.connect();
    } catch (error) {
      const name = causeOf(error, 'store')?.name;
      if (!OUT_OF_CONNECTIONS.has(name) || performance.now() > until) throw error;
      if (name === 'too-many-connections') {
        pool.options.max = Math.max(1, pool.totalCount);
        setTimeout(() => Object.assign(pool.options, { max: most }), MODEST_MS).unref();
      }
    }
    await pause(Math.random() * doublingPause(tries, PAUSE_FIRST_MS, PAUSE_MAX_MS));
  }
}

/** A worker, a gateway and a command. */
const PROCESSES = 3;

/** A third of what the server lets this role have, so that each of them finds room in the smallest one. */
async function shareOf(client: PoolClient): Promise<number> {
  // What is not PostgreSQL itself may know none of these.
  const { rows } = await client.query<{ room: number }>(ROOM).catch(() => ({ rows: [] }));
  const room = rows[0]?.room ?? Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(room / PROCESSES));
}

const ROOM = `select least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
  ) as room`;

type Query = (...args: unknown[]) => unknown;

/** A statement refused because of its name has done nothing: repeat it once without a name. */
async function prepared(query: Query, statements: PreparedStatements, statement: Statement): Promise<unknown> {
  try {
    return await query(statements.named(statement));
  } catch (error) {
    if (!isNameRefused(error)) throw error;
    statements.refused(error);
    // Within a transaction the repetition fails too; the original error makes `inTransaction` start over.
    return (query(statement) as Promise<unknown>).catch(() => Promise.reject(error));
  }
}

function reported<T>(answer: T): T {
  if (!(answer instanceof Promise)) return answer;
  return answer.catch((error: unknown) => {
    throw storeProblemOf(error) ?? error;
  }) as T;
}

/** SQLSTATE of what is about connection, access or resources; a statement that fails otherwise is no matter of the store. */
const ABOUT_THE_STORE = /^(?:08|28|3D|42501|25006|53|57P)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

export function storeProblemOf(error: unknown): Problem | undefined {
  // What has a path, or a code of SQLite, is about a file.
  if (!(error instanceof Error) || 'path' in error || 'errcode' in error) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (SQLSTATE.test(code) && /\d/.test(code) && !ABOUT_THE_STORE.test(code)) return undefined;
  const [cause, reported] = [causeOf(error, 'store'), causeInWords(error, 'store')];
  if (cause === undefined || reported === undefined) return undefined;
  if (cause.isSetUp)
    return new StoreRefusedError('set-up', 'store-refused', reported.message, { ...reported, cause: error });
  // The request may have been carried out: it is safe to repeat.
  const hint = `${reported.hint} Nothing is lost: run the same command again.`;
  return new StoreUnreachableError('unreachable', 'store-unreachable', reported.message, { hint, cause: error });
}

/**
 * Roles of a store on PostgreSQL (`ops/postgres/roles.sh` creates them): its owner alone makes and alters tables, for which it is
 * used by `payouts migrate` only. A login of another name can be made a member of one.
 */
export const OWNER = 'payouts_owner';
export const WRITER = 'payouts_writer';
export const READER = 'payouts_reader';

/** What a writer may do with a table besides reading it, where that is not adding and changing rows. */
const WRITES: Readonly<Record<string, string>> = {
  // Entries are never changed; what was signed neither, only whether it was copied.
  audit_log: 'insert',
  audit_checkpoints: 'insert, update (copied_at, mailed_at)',
  audit_tree: 'update (size, edge)',
  // What people signed or the bank booked; names and texts are erased from it.
  decisions: 'insert',
  accepted_differences: 'insert',
  booked_exchanges: 'insert',
  paid_orders: 'insert',
  plan_rows: 'insert',
  // A closed period stays as it was closed.
  period_documents: 'insert, update (reopened_at, reopened_why)',
  statement_details: 'insert, update (facts)',
  signed_decisions: 'insert, update (taken_at, used_at)',
  ...Object.fromEntries(
    [
      ...['idempotency_keys', 'meta', 'open_orders', 'outbox', 'refused_events', 'senders', 'subscriptions'],
      ...['sign_outs', 'switches', 'watches'],
      // Erased when their time has come.
      ...['payees', 'payee_checks'],
      // An order list takes the place of the one before, and a comparison that of the one before.
      ...['entry_matches', 'statement_entries', 'statements'],
    ].map((table) => [table, 'insert, update, delete']),
  ),
  payouts_migration: '',
  payouts_migration_lock: '',
};

/**
 * The tree of the log only grows: cutting the log back needs the owner. What a person signed stays used: an operator's decision
 * would count once more. It does not become older either, since the first verdict counts.
 */
const GUARD = [
  `create or replace function signed_decision_stays_used() returns trigger language plpgsql as $$
   begin
     if new.taken_at < old.taken_at or (old.used_at is not null and new.used_at is distinct from old.used_at) then
       raise exception 'a signed decision is used once' using errcode = 'insufficient_privilege';
     end if;
     return new;
   end $$`,
  'drop trigger if exists signed_decision_stays_used on signed_decisions',
  'create trigger signed_decision_stays_used before update on signed_decisions for each row execute function signed_decision_stays_used()',
  `create or replace function audit_tree_grows() returns trigger language plpgsql as $$
   begin
     if new.size < old.size then
       raise exception 'the audit log only grows' using errcode = 'insufficient_privilege';
     end if;
     return new;
   end $$`,
  'drop trigger if exists audit_tree_grows on audit_tree',
  'create trigger audit_tree_grows before update on audit_tree for each row execute function audit_tree_grows()',
];

/** Serialises grants, which PostgreSQL refuses at the same time. */
const LOCK = 7_365_110;

/** Gives the roles that the server has what they need of each table, and takes everything else from them. Run by the owner. */
export async function grantRoles(db: Database): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const run = (statement: string) => sql.raw(statement).execute(transaction);
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
    for (const statement of GUARD) await run(statement);
    const { rows: roles } = await sql<{ name: string }>`
      select rolname as name from pg_roles where rolname in (${WRITER}, ${READER}) and rolname <> current_user`.execute(
      transaction,
    );
    await grantDatabase(transaction, roles);
    for (const { name: role } of roles) {
      await run(`revoke all on all tables in schema public from ${role}`);
      await run(`grant select on all tables in schema public to ${role}`);
    }
    if (!roles.some(({ name }) => name === WRITER)) return;
    const { rows: tables } = await sql<{ name: string }>`
      select tablename as name from pg_tables where schemaname = 'public'`.execute(transaction);
    const rights = Map.groupBy(tables, ({ name }) => WRITES[name] ?? 'insert, update');
    for (const [right, its] of rights) {
      if (right !== '') await run(`grant ${right} on ${its.map(({ name }) => name).join(', ')} to ${WRITER}`);
    }
  });
}

/** Who may connect, of a database that this role owns: by default everybody may, and make temporary tables. */
async function grantDatabase(db: Database, roles: readonly { name: string }[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select datname as name from pg_database where datname = current_database() and pg_has_role(datdba, 'usage')`.execute(
    db,
  );
  for (const { name } of rows) {
    await sql`revoke all on database ${sql.id(name)} from public`.execute(db);
    for (const role of roles) await sql`grant connect on database ${sql.id(name)} to ${sql.id(role.name)}`.execute(db);
  }
}

/** Whether this connection's role may make tables. */
export async function mayMigrate(db: Database): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select has_schema_privilege('public', 'create') as may`.execute(db);
  return rows[0]?.may === true;
}

/** What the role of a connection may do that no worker, gateway or command needs. */
export interface StoreRole {
  name: string;
  /** Make and alter tables. */
  owns: boolean;
  /** Change or remove entries of the audit log. */
  rewritesAudit: boolean;
}

/** Of a store on PostgreSQL. */
export async function storeRole(db: Database): Promise<StoreRole> {
  const { rows } = await sql<StoreRole>`
    select current_user as name, has_schema_privilege('public', 'create') as owns,
      has_table_privilege('audit_log', 'update, delete, truncate') as "rewritesAudit"`.execute(db);
  return rows[0] as StoreRole;
}
