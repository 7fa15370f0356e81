import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { appliedSteps, migrate } from '../../../src/store/engine/migrate.ts';
import { MEMORY, nodeSqliteDialect } from '../../../src/store/engine/sqlite.ts';
import { storeLocation } from '../../../src/store/engine/store-url.ts';
import { migrations } from '../../../src/store/migrations/all-migrations.ts';
import type { Store } from '../../../src/store/store.ts';
import { CONTRACTED, EXPANDED, migrateAsLater, noteAsLater, notedByLater, openTables } from '../later-build.ts';
import { batchClaim } from '../samples.ts';
import { onEveryStore } from '../stores.ts';

/** A row from its claim to its end, as a worker writes it. */
async function payOne(store: Store, batchId: string, id: string): Promise<string> {
  const claim = batchClaim(batchId, [id]);
  expect((await store.claimBatch(claim)).claimed).toBe(true);
  const [{ reference } = { reference: '' }] = claim.rows;
  expect(await store.changePayout(reference, { state: 'processing', orderId: `o-${id}`, at: 2_000 })).toBe(true);
  await store.audit({ at: 3_000, actor: 'alice', action: 'seen', subject: reference, detail: {} });
  return reference;
}

const stateOf = async (store: Store, reference: string) => (await store.payout(reference))?.state;

onEveryStore('a store that a later build has expanded', (test) => {
  it('is worked with by this build, opened before and after, beside the later one', async () => {
    const before = await test.open();
    const first = await payOne(before, 'b1', 'a');
    await migrateAsLater(test.ownersUrl(), EXPANDED);
    await noteAsLater(test.ownersUrl(), first, 'kept');

    const second = await payOne(before, 'b2', 'b');
    const after = await test.open();
    const third = await payOne(after, 'b3', 'c');
    for (const [store, reference] of [
      [after, first],
      [before, second],
      [before, third],
    ] as const) {
      expect(await stateOf(store, reference)).toBe('processing');
      expect(await store.changePayout(reference, { state: 'completed', at: 4_000 })).toBe(true);
    }
    expect((await after.batches(10)).map(({ batchId }) => batchId).sort()).toEqual(['b1', 'b2', 'b3']);
    expect(await notedByLater(test.ownersUrl(), first)).toBe('kept');
    // And the later one opens it once more.
    await migrateAsLater(test.ownersUrl(), EXPANDED);
  });

  it('and then contracted is refused by this build, which says why', async () => {
    await migrateAsLater(test.ownersUrl(), CONTRACTED);
    const refused = await test.open().catch((error: unknown) => error);
    expect(refused).toMatchObject({
      kind: 'set-up',
      code: 'store-newer',
      message: expect.stringContaining('9002-contract-batches'),
    });
  });
});

onEveryStore('a store whose steps do not lead to those of this build', (test) => {
  it('stays as it is: the error says which store, and what to do', async () => {
    await test.open();
    const db = openTables(test.ownersUrl());
    onTestFinished(() => db.destroy());
    await sql`update payouts_migration set name = '0001-create-tables' where name = '0001-schema'`.execute(db);
    const before = await appliedSteps(db);
    const place = storeLocation(test.url());
    await expect(test.open()).rejects.toMatchObject({
      code: 'store-other-version',
      message: expect.stringContaining(place.kind === 'file' ? place.path : 'PostgreSQL'),
      hint: expect.stringContaining('use a new store'),
    });
    expect(await appliedSteps(db)).toEqual(before);
  });
});

interface Column {
  tbl: string;
  name: string;
  notnull: number;
  dflt_value: string | null;
}

/** What a build that does not know of a step relies on: tables, columns and what must be unique. */
function shapeOf(database: DatabaseSync) {
  const tables = database
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`)
    .all()
    .map(({ name }) => String(name));
  const columns = tables.flatMap((table) =>
    (database.prepare(`select * from pragma_table_info('${table}')`).all() as unknown as Column[]).map((column) => ({
      ...column,
      tbl: table,
    })),
  );
  const unique = tables.flatMap((table) =>
    database
      .prepare(`select name from pragma_index_list('${table}') where "unique" = 1 and origin = 'c'`)
      .all()
      .map(({ name }) => ({ tbl: table, name: String(name) })),
  );
  return { tables, columns, unique };
}

/** What a store of each step before could not work with in the next, unless that is named a contracting one. */
async function brokenBy(steps: Readonly<Record<string, Migration>>): Promise<string[]> {
  const database = new DatabaseSync(MEMORY, { enableForeignKeyConstraints: true });
  const db = openDatabase(nodeSqliteDialect(async () => database));
  const broken: string[] = [];
  let was = shapeOf(database);
  for (const step of Object.keys(steps)) {
    await migrate(db, storeLocation(`file:${MEMORY}`), { upTo: step, steps: async () => steps });
    const is = shapeOf(database);
    const had = new Set(was.tables);
    const gone = was.columns.filter(({ tbl, name }) => !is.columns.some((it) => it.tbl === tbl && it.name === name));
    const demanded = is.columns.filter(
      ({ tbl, name, notnull, dflt_value: given }) =>
        had.has(tbl) &&
        notnull === 1 &&
        given === null &&
        !was.columns.some((it) => it.tbl === tbl && it.name === name && it.notnull === 1),
    );
    const narrowed = is.unique.filter(({ tbl, name }) => had.has(tbl) && !was.unique.some((it) => it.name === name));
    const found = [...gone, ...demanded, ...narrowed].map(({ tbl, name }) => `${step}: ${tbl}.${name}`);
    if (!step.includes('-contract-')) broken.push(...found);
    was = is;
  }
  await db.destroy();
  return broken;
}

it('every step only adds what older builds can leave alone, or is named a contracting one', async () => {
  const ours = await migrations('file');
  expect(await brokenBy({ ...ours, ...CONTRACTED })).toEqual([]);
  const narrow: Migration = {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('batches').dropColumn('file').execute();
      await db.schema.createIndex('batches_one_retry').unique().on('batches').column('retry_of').execute();
      await sql`alter table watches add column tomorrow text not null default 'x'`.execute(db);
      await sql`drop table switches`.execute(db);
      await sql`create table switches (scope text, must text not null)`.execute(db);
    },
  };
  expect(await brokenBy({ ...ours, '9001-narrow': narrow })).toEqual([
    ...['key', 'reason', 'by', 'at'].map((name) => `9001-narrow: switches.${name}`),
    '9001-narrow: batches.file',
    '9001-narrow: switches.must',
    '9001-narrow: batches.batches_one_retry',
  ]);
});
