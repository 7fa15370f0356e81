import { sql } from 'kysely';
import type { Database } from './database.ts';

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
