import { type PostgresPool, sql } from 'kysely';
import { Pool, types } from 'pg';
import type { Problem } from '../../domain/problem.ts';
import { StoreRefusedError, StoreUnreachableError } from '../errors.ts';
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

/**
 * Connections to PostgreSQL; `bigint` columns (times, counts) are read as numbers. Queries throw a Problem: `store-unreachable`
 * if the server does not answer or cannot write now, `store-refused` if it refuses access.
 */
export function openPostgresPool(connectionString: string): PostgresPool {
  const statements = new PreparedStatements();
  const pool = new Pool({
    connectionString,
    application_name: 'payouts',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: {
      getTypeParser: (type, format) => (type === INT8 ? Number : types.getTypeParser(type, format)),
    },
  });
  // Without these listeners a broken connection would end the process, be it idle or between two statements of a transaction, of
  // which the pool does not hear. The pool replaces both; the next query reports the error.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    const query: Query = client.query.bind(client);
    Object.assign(client, {
      query(first: unknown, ...rest: unknown[]) {
        const [values] = rest;
        // Cursors and pg's own callback calls are passed through.
        if (typeof first !== 'string' || rest.length > 1) return told(query(first, ...rest));
        return told(prepared(query, statements, { text: first, values: values as unknown[] | undefined }));
      },
    });
  });
  return { connect: () => told(pool.connect()), end: () => pool.end(), options: pool.options };
}

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

function told<T>(answer: T): T {
  if (!(answer instanceof Promise)) return answer;
  return answer.catch((error: unknown) => {
    throw storeProblemOf(error) ?? error;
  }) as T;
}

/**
 * https://www.postgresql.org/docs/current/errcodes-appendix.html: connection, disk or memory full, shut down; and Node's codes.
 */
const CODES = /^(?:08\w{3}|53\w{3}|57P0[1-3]|E(?:CONN\w+|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|PIPE))$/;
const DISK_FULL = '53100';
/** Errors of the client without a code; the last is Kysely's, after a failed rollback. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Postgres connection has been discarded)/;

/** By SQLSTATE, Node's code for certificates, or the client's message if there is no code. */
const REFUSALS: readonly (readonly [RegExp, { why: string; hint: string }])[] = [
  [
    /^28P01$/,
    {
      why: 'does not accept the user or the password',
      hint: 'Check both in PAYOUTS_STORE_URL. Percent-encode : / ? # @ % in a password: # is %23.',
    },
  ],
  [
    /^28000$/,
    {
      why: 'does not let this user in from here',
      hint: "Check the user in PAYOUTS_STORE_URL, and the server's pg_hba.conf: user, database, address, TLS.",
    },
  ],
  [
    /^3D000$/,
    {
      why: 'has no such database',
      hint: 'Correct the name in PAYOUTS_STORE_URL, or create the database (createdb), owned by the user in it.',
    },
  ],
  [
    /^42501$/,
    {
      why: 'lacks a permission for this user',
      hint: 'The roles of the store are in docs/production.md; payouts migrate, run by its owner, grants them what they need.',
    },
  ],
  [
    /^SASL: .*client password/,
    {
      why: 'wants a password, and there is none',
      hint: 'Set it in PAYOUTS_STORE_URL: postgres://USER:PASSWORD@HOST/DATABASE.',
    },
  ],
  [
    /^The server does not support SSL connections/,
    {
      why: 'does not offer TLS',
      hint: 'Turn ssl on in its postgresql.conf, or leave sslmode out of PAYOUTS_STORE_URL if it is on this machine.',
    },
  ],
  [
    /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/,
    {
      why: 'shows a certificate that is not trusted',
      hint: 'Add sslrootcert=FILE with your CA to PAYOUTS_STORE_URL, use the host name that the certificate is for, and check its dates and the clock.',
    },
  ],
];

export function storeProblemOf(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const shownCode = code === '' ? '' : ` (${code})`;
  if (CODES.test(code) || MESSAGES.test(error.message)) {
    const message = `The store ${code === DISK_FULL ? 'has no space left on its disk' : 'does not answer'}${shownCode}.`;
    // The request may have been carried out: it is safe to repeat.
    const hint = 'Check its PostgreSQL (PAYOUTS_STORE_URL). Nothing is lost: run the same command again.';
    return new StoreUnreachableError('unreachable', 'store-unreachable', message, { hint, cause: error });
  }
  const [, refusal] = REFUSALS.find(([pattern]) => pattern.test(code === '' ? error.message : code)) ?? [];
  if (refusal === undefined) return undefined;
  const { why, hint } = refusal;
  // Nothing of the URL is repeated: it may hold a password.
  const message = `The store's PostgreSQL ${why}${shownCode}.`;
  return new StoreRefusedError('set-up', 'store-refused', message, { hint, cause: error });
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
  // What people signed or the bank booked.
  decisions: 'insert',
  accepted_differences: 'insert',
  booked_exchanges: 'insert',
  paid_orders: 'insert',
  plan_rows: 'insert',
  signed_decisions: 'insert, update (taken_at, used_at)',
  ...Object.fromEntries(
    [
      ...['idempotency_keys', 'meta', 'open_orders', 'outbox', 'refused_events', 'senders', 'subscriptions'],
      ...['switches', 'watches'],
    ].map((table) => [table, 'insert, update, delete']),
  ),
  payouts_migration: '',
  payouts_migration_lock: '',
};

/**
 * The tree of the log only grows: cutting the log back needs the owner. What a person signed stays used: an operator's decision
 * would count once more. It does not become older either, since the first verdict stands.
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
