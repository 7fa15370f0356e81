import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { judgeStoreRole } from '../../../src/cli/doctor.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { createDatabase, dropDatabase, migrated } from '../../support/databases.ts';
import { signedBy, signingPerson } from '../../support/people.ts';
import { openTables } from '../later-build.ts';
import { batchClaim } from '../samples.ts';
import { BACKENDS } from '../stores.ts';

const DENIED = '42501';

/** Ways to lose or rewrite what was recorded, or to undo the guards against that. */
const OF_THE_OWNER = [
  'create table mine (id int)',
  'create function mine() returns int language sql as $$ select 1 $$',
  'create schema mine',
  'create temporary table mine (id int)',
  'alter table payouts add column mine text',
  'alter table audit_log disable trigger all',
  'alter table audit_tree disable trigger audit_tree_grows',
  'drop trigger audit_tree_grows on audit_tree',
  'drop trigger signed_decision_stays_used on signed_decisions',
  'create or replace function audit_tree_grows() returns trigger language plpgsql as $$ begin return new; end $$',
  'drop table audit_log',
  'truncate audit_log',
  "set session_replication_role = 'replica'",
  "insert into payouts_migration (name, timestamp) values ('9999', '')",
];
const OF_NOBODY = [
  'delete from audit_log',
  'delete from audit_log where seq >= 1',
  "update audit_log set detail = '{}'",
  "update audit_log set seq = seq + 1, leaf_hash = ''",
  'delete from audit_tree',
  'update audit_tree set size = 0',
  'update audit_tree set size = size - 1',
  'update audit_tree set id = 1',
  "insert into audit_tree (id, size, edge) values (1, 0, '[]')",
  'delete from audit_checkpoints',
  "update audit_checkpoints set note = ''",
  'update audit_checkpoints set size = 0',
  'delete from signed_decisions',
  "update signed_decisions set subject = 'mallory'",
  "update decisions set by = 'mallory'",
  'delete from payouts',
  'delete from send_attempts',
  'delete from batches',
  'delete from incidents',
  'delete from period_documents',
  "update period_documents set text = ''",
];

describe.runIf(BACKENDS.length > 1)('on PostgreSQL', () => {
  const admin = process.env.PAYOUTS_TEST_POSTGRES_URL ?? '';
  const name = `payouts_roles_${process.pid}`;
  let owner: string;

  beforeEach(async () => {
    owner = await createDatabase(admin, name);
  });
  afterEach(() => dropDatabase(admin, name));

  async function codesOf(url: string, statements: readonly string[]): Promise<Record<string, unknown>> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const codes: Record<string, unknown> = {};
    for (const statement of statements) {
      codes[statement] = await client.query(statement).then(
        () => 'done',
        ({ code }: { code: string }) => code,
      );
    }
    await client.end();
    return codes;
  }
  const allDenied = (statements: readonly string[]) => Object.fromEntries(statements.map((it) => [it, DENIED]));

  async function using<T>(url: string, use: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore(url);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }

  it('a writer claims, audits and signs, and cannot alter tables nor change what was recorded', async () => {
    const { writer } = await migrated(admin, owner);
    const size = await using(writer, async (store) => {
      expect((await store.claimBatch(batchClaim('b1', ['a', 'b']))).claimed).toBe(true);
      const { size, edge } = await store.auditTree();
      await store.recordCheckpoint({ size, edge, note: 'signed', at: 1 }, 'key');
      await store.markLeft('copiedAt', size, 2);
      expect(await store.waitingCheckpoints('copiedAt')).toEqual([]);
      const role = await store.storeRole();
      expect(role).toMatchObject({ owns: false, rewritesAudit: false });
      expect(judgeStoreRole(role)).toMatchObject({ verdict: 'ok' });
      return size;
    });
    expect(size).toBeGreaterThan(0);
    const tried = [...OF_THE_OWNER, ...OF_NOBODY];
    expect(await codesOf(writer, tried)).toEqual(allDenied(tried));
    await using(writer, async (store) => expect((await store.auditTree()).size).toBe(size));
  });

  it('a writer uses once what somebody signed, and makes nothing of it unused or older', async () => {
    const { writer } = await migrated(admin, owner);
    const signed = signedBy(signingPerson('olga', ['operator']), {
      ...{ storeId: 'any', question: 'resolve', reference: 'a', digest: 'look-again/' },
    });
    await using(writer, async (store) => {
      expect(await store.takeSignedDecision(signed, 1_000)).toBe(true);
      expect(await store.useSignedDecision(signed.id, 2_000)).toBe(true);
    });
    const tried = [
      'update signed_decisions set used_at = null',
      'update signed_decisions set used_at = 3000',
      'update signed_decisions set taken_at = 1',
    ];
    expect(await codesOf(writer, tried)).toEqual(allDenied(tried));
    await using(writer, async (store) => expect(await store.useSignedDecision(signed.id, 4_000)).toBe(false));
  });

  it('a reader reads, and writes nothing', async () => {
    const { writer, reader } = await migrated(admin, owner);
    await using(writer, (store) => store.claimBatch(batchClaim('b1', ['a'])));
    expect(await using(reader, (store) => store.batches(10))).toMatchObject([{ batchId: 'b1' }]);
    const tried = [...OF_THE_OWNER, ...OF_NOBODY, "insert into meta (key, value) values ('a', 'b')"];
    const changes = ["update payouts set amount = '1'", "update meta set value = ''", 'delete from switches'];
    expect(await codesOf(reader, [...tried, ...changes])).toEqual(allDenied([...tried, ...changes]));
    expect(await codesOf(reader, ['select * from payouts', 'select * from audit_log'])).toEqual({
      'select * from payouts': 'done',
      'select * from audit_log': 'done',
    });
  });

  it('a role that may not make tables says what is missing and who makes it', async () => {
    const { writer } = await migrated(admin, owner);
    const tables = openTables(owner);
    await sql`delete from payouts_migration`.execute(tables);
    await tables.destroy();
    await expect(openStore(writer)).rejects.toMatchObject({
      kind: 'set-up',
      code: 'store-not-migrated',
      message: expect.stringContaining('0001-schema'),
      hint: expect.stringContaining('payouts migrate'),
    });
  });

  it('a role that has been granted nothing yet is pointed to payouts migrate', async () => {
    const { writer } = await migrated(admin, owner);
    const tables = openTables(owner);
    await sql`revoke all on all tables in schema public from payouts_writer`.execute(tables);
    await tables.destroy();
    await expect(openStore(writer)).rejects.toMatchObject({
      code: 'store-refused',
      hint: expect.stringContaining('payouts migrate'),
    });
  });

  it('the tables are made once when many owners open an empty database at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(owner)));
    expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
    const role = await stores[0]?.storeRole();
    expect(role).toMatchObject({ owns: true, rewritesAudit: true });
    expect(role && judgeStoreRole(role).detail).toMatch(
      / may alter tables and change the audit log: only payouts migrate /,
    );
    await Promise.all(stores.map((store) => store.close()));
  });
});
