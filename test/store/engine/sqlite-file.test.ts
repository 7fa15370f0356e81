import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteFile } from '../../../src/store/engine/sqlite.ts';

describe('A SQLite file of the store', () => {
  let folder: string;
  let database: DatabaseSync;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payouts-sqlite-'));
    database = await openSqliteFile(join(folder, 'store.sqlite'));
  });

  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['journal_mode', 'wal'],
    ['synchronous', 2],
    ['foreign_keys', 1],
  ])('has %s = %s, so that a commit outlives the power and readers do not wait', (pragma, value) => {
    expect(database.prepare(`pragma ${pragma}`).get()).toEqual({ [pragma]: value });
  });

  it('is opened by many at the same time', async () => {
    const path = join(folder, 'shared.sqlite');
    const opened = await Promise.all(Array.from({ length: 8 }, () => openSqliteFile(path)));
    for (const one of opened) one.close();
    expect(opened).toHaveLength(8);
  });

  it('says what is wrong with a path that cannot be one', async () => {
    const text = join(folder, 'notes.txt');
    writeFileSync(text, 'This is a text, and no database. '.repeat(100));
    await expect(openSqliteFile(text)).rejects.toMatchObject({
      kind: 'set-up',
      code: 'not-a-store',
      message: `${text} is not a SQLite database.`,
      hint: expect.stringContaining('PAYOUTS_STORE_URL'),
    });
    const directory = join(folder, 'directory');
    mkdirSync(directory);
    await expect(openSqliteFile(directory)).rejects.toMatchObject({ kind: 'set-up', code: 'file-system' });
  });
});
