import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeSqliteDialect, openSqliteFile } from '../../../src/store/engine/sqlite.ts';

interface Tables {
  notes: { id: number; text: string };
}

describe('what is written at one time', () => {
  let folder: string;
  let file: string;
  let database: DatabaseSync;
  let db: Kysely<Tables>;
  let other: DatabaseSync;
  /** Ends the groups that wait for others. */
  let closings: (() => void)[];
  /** How long the rests were to be, ms, and what ends the last one. */
  let rests: number[];
  let endRest: () => void;

  const write = (id: number) =>
    db
      .insertInto('notes')
      .values({ id, text: `note ${id}` })
      .execute();
  const durable = () =>
    (other.prepare('select id from notes order by id').all() as { id: number }[]).map(({ id }) => id);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const close = async () => {
    await turn();
    for (const end of closings.splice(0)) end();
    await turn();
  };
  const commits = () => vi.mocked(database.exec).mock.calls.filter(([text]) => text === 'commit').length;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payouts-group-'));
    file = join(folder, 'store.sqlite');
    database = await openSqliteFile(file);
    [closings, rests] = [[], []];
    db = new Kysely<Tables>({
      dialect: nodeSqliteDialect(async () => database, {
        gather: (end) => void closings.push(end),
        rest: (ms) => {
          rests.push(ms);
          const { promise, resolve } = Promise.withResolvers<void>();
          endRest = resolve;
          return promise;
        },
      }),
    });
    database.exec('create table notes (id integer primary key, text text not null)');
    vi.spyOn(database, 'exec');
    other = new DatabaseSync(file);
  });

  afterEach(async () => {
    other.close();
    await db.destroy();
    rmSync(folder, { recursive: true });
  });

  it('is one commit, and nobody is answered before', async () => {
    const received: number[] = [];
    const writes = [1, 2, 3].map((id) => write(id).then(() => received.push(id)));
    const inOne = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('notes').values({ id: 4, text: 'a' }).execute();
      await transaction.insertInto('notes').values({ id: 5, text: 'b' }).execute();
    });
    await turn();
    expect([received, durable()]).toEqual([[], []]);
    await close();
    await Promise.all([...writes, inOne]);
    expect([received, durable(), commits()]).toEqual([[1, 2, 3], [1, 2, 3, 4, 5], 1]);
  });

  it('is shown to a reader when it is durable, not before', async () => {
    const written = write(1);
    const received: number[] = [];
    const read = db
      .selectFrom('notes')
      .select('id')
      .execute()
      .then((rows) => received.push(...rows.map(({ id }) => id)));
    await turn();
    expect(received).toEqual([]);
    await close();
    await Promise.all([written, read]);
    expect(received).toEqual([1]);
  });

  it('loses what fails in it, and nothing beside that', async () => {
    const first = write(1);
    const same = expect(write(1)).rejects.toThrow('UNIQUE');
    const undone = expect(
      db.transaction().execute(async (transaction) => {
        await transaction.insertInto('notes').values({ id: 2, text: 'b' }).execute();
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    const last = write(3);
    await close();
    await Promise.all([first, same, undone, last]);
    expect(durable()).toEqual([1, 3]);
  });

  it('is lost for everybody who has a part in it when the commit fails', async () => {
    const all = [write(1), write(2), db.selectFrom('notes').selectAll().execute()];
    vi.mocked(database.exec).mockImplementation((text) => {
      if (text === 'commit') throw new Error('the disk is full');
      DatabaseSync.prototype.exec.call(database, text);
    });
    const failed = Promise.all(all.map((one) => expect(one).rejects.toThrow('the disk is full')));
    await close();
    await failed;
    vi.mocked(database.exec).mockRestore();
    const after = write(3);
    await close();
    await after;
    expect(durable()).toEqual([3]);
  });

  it('is lost for everybody when an error ends the transaction of the database', async () => {
    const lost = expect(write(1)).rejects.toThrow('no such table');
    const full = expect(
      db.transaction().execute(async (transaction) => {
        await transaction.insertInto('notes').values({ id: 2, text: 'b' }).execute();
        // As SQLite does by itself when the disk is full.
        database.exec('rollback');
        await sql`insert into nowhere values (1)`.execute(transaction).catch(() => undefined);
        await transaction.insertInto('notes').values({ id: 3, text: 'c' }).execute();
      }),
    ).rejects.toThrow('the transaction was lost');
    await close();
    await Promise.all([lost, full]);
    expect(durable()).toEqual([]);
  });

  it('ends a group that is asked to end while somebody is at work, as soon as that is done', async () => {
    const first = write(1);
    await turn();
    const held = Promise.withResolvers<void>();
    const slow = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('notes').values({ id: 2, text: 'b' }).execute();
      await held.promise;
    });
    const later = write(3);
    await close();
    expect(durable()).toEqual([]);
    held.resolve();
    await Promise.all([first, slow]);
    expect(durable()).toEqual([1, 2]);
    await close();
    await later;
    expect(commits()).toBe(2);
  });

  it('is followed by a rest if several shared it: writers gather, readers and other processes go on', async () => {
    const shared = [write(1), write(2)];
    await close();
    await Promise.all(shared);
    const later = [write(3), write(4)];
    expect(await db.selectFrom('notes').select('id').execute()).toHaveLength(2);
    await turn();
    expect(closings).toEqual([]);
    other.exec("insert into notes values (9, 'of another process')");
    endRest();
    await close();
    await Promise.all(later);
    expect([durable(), commits()]).toEqual([[1, 2, 3, 4, 9], 2]);
  });

  it('is followed by a rest of four times what it took, within bounds', async () => {
    for (const [took, ms] of [
      [0, 20],
      [10, 40],
      [30, 50],
    ] as const) {
      const times = [100, 100 + took];
      vi.spyOn(performance, 'now').mockImplementation(() => times.shift() ?? 0);
      const shared = [write(2 * took + 1), write(2 * took + 2)];
      await close();
      await Promise.all(shared);
      expect(rests.splice(0)).toEqual([ms]);
      vi.mocked(performance.now).mockRestore();
      endRest();
      await turn();
    }
  });

  it('is not followed by one if nobody shared it', async () => {
    for (const id of [1, 2, 3]) {
      const written = write(id);
      await close();
      await written;
    }
    expect([rests, commits()]).toEqual([[], 3]);
  });

  it('is durable before the store is closed', async () => {
    const written = write(1);
    await turn();
    await Promise.all([db.destroy(), written]);
    expect(durable()).toEqual([1]);
  });
});
