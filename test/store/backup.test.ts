import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { type BackupStep, backupStore } from '../../src/store/restore.ts';
import type { Store } from '../../src/store/store.ts';
import { newFolder } from '../support/new-folder.ts';
import { batchClaim, documentIds, WORLD } from './samples.ts';

let folder: string;
let path: string;
let file: string;
let store: Store;

beforeEach(async () => {
  folder = newFolder();
  path = join(folder, 'store.sqlite');
  file = join(folder, 'copy.sqlite');
  store = await openStore(`file:${path}`);
  await store.identify(WORLD);
  await store.claimBatch(batchClaim('b1', ['a', 'b']));
});

afterEach(() => store.close());

async function batchIdsIn(copy: string): Promise<string[]> {
  const copied = await openStore(`file:${copy}`);
  try {
    return (await copied.batches(1_000)).map(({ batchId }) => batchId).toSorted();
  } finally {
    await copied.close();
  }
}

describe('a backup', () => {
  it('of a store that was never used with a bank is refused: restored, it would hide what another one knows', async () => {
    const unused = join(folder, 'unused.sqlite');
    await (await openStore(`file:${unused}`)).close();
    await expect(backupStore({ store: unused, file })).rejects.toMatchObject({
      code: 'unused-store',
      message: expect.stringContaining(`${unused} was never used`),
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual([]);
  });

  it('holds what was committed, for its owner only, while the store is open', async () => {
    const facts = await backupStore({ store: path, file });
    expect(facts).toEqual({ identity: WORLD, payouts: 2, open: 2, lastChangeAt: 1_000 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await batchIdsIn(file)).toEqual(['b1']);
    await store.claimBatch(batchClaim('b2', ['c']));
    expect((await store.batches(10)).map(({ batchId }) => batchId).toSorted()).toEqual(['b1', 'b2']);
  });

  it('is as of one moment while others write: whole batches, none of them in part', async () => {
    let writing = true;
    let written = 0;
    const writer = (async () => {
      for (; writing; written += 1) await store.claimBatch(batchClaim(`w${written}`, documentIds(20, `w${written}`)));
    })();
    for (let round = 0; round < 5; round += 1) {
      const child = fork(join(import.meta.dirname, 'fixtures/killed-at.ts'), [
        'backup',
        'none',
        path,
        `${file}-${round}`,
      ]);
      expect(await once(child, 'exit')).toEqual([0, null]);
    }
    writing = false;
    await writer;
    expect(written).toBeGreaterThan(0);
    for (let round = 0; round < 5; round += 1) {
      const copy = new DatabaseSync(`${file}-${round}`, { readOnly: true });
      const split = copy.prepare(
        'select batch_id from batches b where total <> (select count(*) from payouts p where p.batch_id = b.batch_id)',
      );
      expect(split.all()).toEqual([]);
      copy.close();
    }
  });

  it('holds what a killed process left in the WAL, and leaves it there', async () => {
    const killed = join(folder, 'killed.sqlite');
    const child = fork(join(import.meta.dirname, 'fixtures/open-thrice.ts'), [`file:${killed}`]);
    await once(child, 'message');
    child.send('b7');
    await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const left = readFileSync(`${killed}-wal`);
    expect(left.length).toBeGreaterThan(0);
    await backupStore({ store: killed, file });
    expect(readFileSync(`${killed}-wal`)).toEqual(left);
    expect(await batchIdsIn(file)).toEqual(['b7']);
  });

  it('never takes the place of a file', async () => {
    writeFileSync(file, 'mine');
    await expect(backupStore({ store: path, file })).rejects.toMatchObject({ code: 'file-exists' });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('says which file or folder is not there', async () => {
    await expect(backupStore({ store: `${path}-other`, file })).rejects.toMatchObject({
      code: 'no-file',
      message: expect.stringContaining(`${path}-other`),
    });
    await expect(backupStore({ store: path, file: join(folder, 'none', 'copy.sqlite') })).rejects.toMatchObject({
      code: 'file-system',
    });
    expect(existsSync(file)).toBe(false);
  });

  it.each<[BackupStep, boolean]>([
    ['copied', false],
    ['checked', false],
    ['written', true],
  ])('killed once it has %s leaves the store as it was, and a whole copy or none', async (step, isThere) => {
    const child = fork(join(import.meta.dirname, 'fixtures/killed-at.ts'), ['backup', step, path, file]);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect(existsSync(file)).toBe(isThere);
    if (isThere) expect(await batchIdsIn(file)).toEqual(['b1']);
    expect((await store.batches(10)).map(({ batchId }) => batchId)).toEqual(['b1']);
    if (!isThere) await backupStore({ store: path, file });
  });
});
