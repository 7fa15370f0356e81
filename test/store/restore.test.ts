import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { openSqliteFile } from '../../src/store/engine/sqlite.ts';
import { openStore } from '../../src/store/open.ts';
import { backupStore, type RestoreOrder, type RestoreStep, restoreStore } from '../../src/store/restore.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreIdentityError } from '../../src/store/store-errors.ts';
import { AFTER, makeBuild } from '../drills/upgrade/builds.ts';
import { newFolder } from '../support/new-folder.ts';
import { cardClaim } from './card-samples.ts';
import { batchClaim, WORLD } from './samples.ts';

let folder: string;
let path: string;
let copy: string;

/** A store with the batches b1 and b2, closed, and a copy of it with b1 alone. */
beforeEach(async () => {
  folder = newFolder();
  path = join(folder, 'store.sqlite');
  copy = join(folder, 'copy.sqlite');
  await onStore(path, async (store) => {
    await store.identify(WORLD);
    await store.claimBatch(batchClaim('b1', ['a']));
    await backupStore({ store: path, file: copy });
    await store.claimBatch(batchClaim('b2', ['b']));
  });
});

async function onStore<T>(file: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(`file:${file}`);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const batchIdsIn = (file: string): Promise<string[]> =>
  onStore(file, async (store) => (await store.batches(10)).map(({ batchId }) => batchId).toSorted());

const order = (): RestoreOrder => ({
  store: path,
  file: copy,
  identity: WORLD,
  by: 'alice',
  now: Date.UTC(2026, 4, 12, 10, 30),
  confirm: async () => {},
});

const restored = (change: Partial<RestoreOrder> = {}) => restoreStore({ ...order(), ...change });

function sql(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

describe('a restore', () => {
  it('puts the copy in place, keeps what it replaced beside it, and says so in the store', async () => {
    const { facts, replaced } = await restored();
    expect(facts).toMatchObject({ payouts: 1, open: 1 });
    expect(replaced).toBe(`${path}.replaced-2026-05-12T10-30-00.000Z`);
    expect(readdirSync(folder).toSorted()).toEqual([
      'copy.sqlite',
      'store.sqlite',
      'store.sqlite.replaced-2026-05-12T10-30-00.000Z',
    ]);
    for (const file of [path, replaced ?? '']) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await batchIdsIn(path)).toEqual(['b1']);
    expect(await batchIdsIn(replaced ?? '')).toEqual(['b1', 'b2']);
    await onStore(path, async (store) => {
      expect((await store.restored())?.at).toBe(Date.UTC(2026, 4, 12, 10, 30));
      expect(await store.auditEntriesOf('store')).toMatchObject([
        { actor: 'alice', action: 'restore', detail: { payouts: '1', last_change: '1970-01-01T00:00:01.000Z' } },
      ]);
    });
    expect(await onStore(replaced ?? '', (store) => store.restored())).toBeUndefined();
  });

  it('says from when on something may be missing: the last change of a payout or a card payment', async () => {
    await onStore(copy, (store) => store.cards.claim(cardClaim('m-1', { at: 7_000 })));
    await restored();
    expect(await onStore(path, (store) => store.restored())).toMatchObject({ from: 7_000 });
  });

  it('makes the store where there is none', async () => {
    const elsewhere = join(folder, 'new', 'store.sqlite');
    expect(await restored({ store: elsewhere })).toMatchObject({ replaced: null });
    expect(await batchIdsIn(elsewhere)).toEqual(['b1']);
  });

  it('takes what a killed process left in the WAL into the store that it keeps', async () => {
    rmSync(path);
    const child = fork(join(import.meta.dirname, 'fixtures/open-thrice.ts'), [`file:${path}`]);
    await once(child, 'message');
    child.send('b9');
    await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    const { replaced } = await restored();
    expect(await batchIdsIn(path)).toEqual(['b1']);
    expect(await batchIdsIn(replaced ?? '')).toEqual(['b9']);
  });

  it('keeps a damaged store with its WAL, and nothing of that gets into the copy', async () => {
    writeFileSync(path, 'no database at all, but longer than a header of one hundred bytes'.repeat(9));
    writeFileSync(`${path}-wal`, 'what may still be of use');
    const { replaced } = await restored();
    expect(readFileSync(`${replaced}-wal`, 'utf8')).toBe('what may still be of use');
    expect(readFileSync(replaced ?? '', 'utf8')).toMatch(/^no database/);
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(await batchIdsIn(path)).toEqual(['b1']);
  });

  it('brings a copy of an earlier version up to date', async () => {
    const later = join(makeBuild(join(folder, 'later'), AFTER), '../../src/store/restore.ts');
    const { restoreStore: restoredByLater } = (await import(later)) as typeof import('../../src/store/restore.ts');
    await restoredByLater(order());
    sql(path, "insert into of_tomorrow values ('a')");
    expect(await batchIdsIn(path)).toEqual(['b1']);
  });
});

it('a copy that a later version has only expanded is put in place', async () => {
  sql(copy, 'alter table payouts add column of_tomorrow text');
  sql(copy, "insert into payouts_migration values ('9999-of-tomorrow', '2030-01-01')");
  await restored();
  expect(await batchIdsIn(path)).toEqual(['b1']);
});

describe('a restore is refused, and changes nothing,', () => {
  /** Reading a store makes the shared memory and an empty WAL that SQLite needs for it. */
  const files = () => readdirSync(folder).filter((name) => !/-(?:wal|shm)$/.test(name));

  async function refused(change: Partial<RestoreOrder> = {}): Promise<unknown> {
    const before = readFileSync(path);
    const names = files();
    const error = await restored(change).catch((it: unknown) => it);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(files()).toEqual(names);
    return error;
  }

  it('while another process has the store open', async () => {
    const store = await openStore(`file:${path}`);
    await expect(restored()).rejects.toMatchObject({ code: 'store-in-use' });
    await store.claimBatch(batchClaim('b3', ['c']));
    await store.close();
    expect(await batchIdsIn(path)).toEqual(['b1', 'b2', 'b3']);
    expect(files().toSorted()).toEqual(['copy.sqlite', 'store.sqlite']);
  });

  it('for a file that is not there, and for a folder', async () => {
    expect(await refused({ file: `${copy}-other` })).toMatchObject({ code: 'no-file' });
    expect(await refused({ file: folder })).toMatchObject({ code: 'no-file' });
  });

  it('for what is no database, another database, and a store that is not whole', async () => {
    const good = join(folder, 'good.sqlite');
    copyFileSync(copy, good);
    writeFileSync(copy, 'document_id,amount\n'.repeat(100));
    expect(await refused()).toMatchObject({ code: 'not-a-store' });
    rmSync(copy);
    sql(copy, 'create table payouts (mine text)');
    expect(await refused()).toMatchObject({ code: 'not-a-store' });
    copyFileSync(good, copy);
    sql(copy, 'drop table send_attempts');
    expect(await refused()).toMatchObject({ code: 'store-damaged' });
  });

  it('for a file with a page that was overwritten', async () => {
    const bytes = readFileSync(copy);
    bytes.fill(0x5a, bytes.length - 4_096 * 3, bytes.length - 4_096);
    writeFileSync(copy, bytes);
    expect(await refused()).toMatchObject({ code: 'store-damaged' });
  });

  it('for a store that a later version has contracted', async () => {
    sql(copy, "insert into payouts_migration values ('9999-contract-of-tomorrow', '2030-01-01')");
    expect(await refused()).toMatchObject({
      code: 'store-newer',
      message: expect.stringContaining('9999-contract-of-tomorrow'),
    });
  });

  it('for a store of a version that this one does not continue', async () => {
    sql(copy, "update payouts_migration set name = '0001-create-tables' where name = '0001-schema'");
    expect(await refused()).toMatchObject({ code: 'store-other-version', message: expect.stringContaining(copy) });
  });

  it.each([
    ['bank', 'https://other.example'],
    ['namespace', 'other'],
  ])('for another %s, of the copy or of the store', async (part, value) => {
    sql(copy, `update meta set value = '${value}' where key = '${part}'`);
    expect(await refused()).toBeInstanceOf(StoreIdentityError);
    expect(await refused({ identity: { ...WORLD, [part]: value } })).toBeInstanceOf(StoreIdentityError);
  });

  it('for the store itself, under any name', async () => {
    expect(await refused({ file: path })).toMatchObject({ code: 'store-itself' });
    linkSync(path, join(folder, 'same.sqlite'));
    expect(await refused({ file: join(folder, 'same.sqlite') })).toMatchObject({ code: 'store-itself' });
  });

  it('when the answer is no', async () => {
    const no = new Error('no');
    expect(
      await refused({
        confirm: async ({ payouts }) => {
          expect(payouts).toBe(1);
          throw no;
        },
      }),
    ).toBe(no);
  });
});

it.each<[RestoreStep, string[]]>([
  ['copied', ['b1', 'b2']],
  ['prepared', ['b1', 'b2']],
  ['kept', ['b1', 'b2']],
  ['replaced', ['b1']],
])('a restore killed once it has %s leaves a whole store, and can be made again', async (step, batchIds) => {
  chmodSync(copy, 0o400);
  const child = fork(join(import.meta.dirname, 'fixtures/killed-at.ts'), ['restore', step, path, copy]);
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  expect(await batchIdsIn(path)).toEqual(batchIds);
  const { replaced } = await restored();
  expect(await batchIdsIn(path)).toEqual(['b1']);
  expect(await batchIdsIn(replaced ?? '')).toEqual(batchIds);
  expect(readdirSync(folder).filter((name) => name.includes('restoring'))).toEqual([]);
});

it('one who opens the store while it is replaced waits, and gets the new one', async () => {
  let opening: Promise<DatabaseSync> | undefined;
  await restored({
    reached: (step) => {
      // Opens the file at once; its first statement meets the lock.
      if (step === 'kept') opening = openSqliteFile(path);
    },
  });
  const database = await opening;
  expect(database?.prepare('select batch_id from batches').all()).toEqual([{ batch_id: 'b1' }]);
  database?.close();
});
