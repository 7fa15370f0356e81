import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '../../../src/domain/problem.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { inShortTransaction, LOCKS, shareCommits, write } from '../../../src/store/engine/groups.ts';
import { openPostgresPool } from '../../../src/store/engine/postgres.ts';
import { createDatabase, dropDatabase, urlOfDatabase } from '../../support/databases.ts';
import { BACKENDS } from '../stores.ts';

const admin = process.env.PAYOUTS_TEST_POSTGRES_URL ?? '';
const name = `payouts_groups_${process.pid}`;

describe.runIf(BACKENDS.length > 1)('small writes at one time on PostgreSQL', () => {
  let db: Database;
  let other: Database;
  let opened: Database[];
  /** What the connections of `db` were asked. */
  let asked: string[];
  /** Acts as a server that is gone when it is asked to commit. */
  let losesCommits: boolean;

  const open = (pool: PostgresPool): Database => {
    const database = new Kysely<never>({ dialect: new PostgresDialect({ pool }) }) as unknown as Database;
    opened.push(database);
    return database;
  };
  const received = (pool: PostgresPool): PostgresPool => ({
    ...pool,
    async connect() {
      const client = await pool.connect();
      const query = (text: string, values: readonly unknown[]) => {
        asked.push(text);
        if (losesCommits && text === 'commit') throw new Problem('unreachable', 'store-unreachable', '', { hint: '' });
        return client.query(text, values as []);
      };
      return { query, release: () => client.release() } as unknown as typeof client;
    },
  });
  const insert = (id: number, text = 'written') => sql`insert into notes values (${id}, ${text})`;
  /** One row, returned with the id of the transaction that has written it. */
  const note = (id: number, text?: string): Promise<string> =>
    write(db, LOCKS.itsRows, async (into) => {
      await insert(id, text).execute(into);
      const { rows } = await sql<{ xact: string }>`select pg_current_xact_id()::text as xact`.execute(into);
      return rows[0]?.xact ?? '';
    });
  const noted = async (): Promise<string[]> => {
    const { rows } = await sql<{ id: number; text: string }>`select * from notes order by id`.execute(other);
    return rows.map(({ id, text }) => `${id} ${text}`);
  };
  const change = (on: Database, id: number, text: string) =>
    sql`update notes set text = ${text} where id = ${id}`.execute(on);

  beforeEach(async () => {
    await createDatabase(admin, name);
    const url = urlOfDatabase(admin, name);
    opened = [];
    asked = [];
    losesCommits = false;
    db = open(received(openPostgresPool(url)));
    other = open(openPostgresPool(url));
    await sql`create table notes (id integer primary key, text text not null)`.execute(other);
    shareCommits(db);
  });

  afterEach(async () => {
    await Promise.all(opened.map((database) => database.destroy()));
    await dropDatabase(admin, name);
  });

  it('are one transaction, and each is answered when it is durable', async () => {
    const seen = [1, 2, 3].map(async (id) => {
      const xact = await note(id);
      return [xact, (await noted()).includes(`${id} written`)] as const;
    });
    const inOne = inShortTransaction(db, LOCKS.logs, async (transaction) => {
      await insert(4).execute(transaction);
      await insert(5).execute(transaction);
      return 'both';
    });
    const [first, ...rest] = await Promise.all(seen);
    expect(rest).toEqual([first, first]);
    expect(first?.[1]).toBe(true);
    expect(await inOne).toBe('both');
    expect(await noted()).toEqual([1, 2, 3, 4, 5].map((id) => `${id} written`));
    expect(asked.filter((text) => text === 'commit')).toHaveLength(1);
  });

  it('are by themselves when nobody else writes: one statement, and no transaction around it', async () => {
    await write(db, LOCKS.itsRows, (into) => insert(1).execute(into));
    expect(asked).toEqual([expect.stringMatching(/^insert/)]);
  });

  it('do not fail with one of them', async () => {
    await note(1);
    const same = expect(note(1)).rejects.toMatchObject({ code: '23505' });
    const undone = expect(
      inShortTransaction(db, LOCKS.itsRows, async (transaction) => {
        await insert(2).execute(transaction);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await Promise.all([same, undone, note(3), note(4)]);
    expect(await noted()).toEqual(['1 written', '3 written', '4 written']);
  });

  it('do not wait for a row that somebody keeps, and neither do those that come later', async () => {
    await Promise.all([note(1), note(2)]);
    const held = Promise.withResolvers<void>();
    const keeps = Promise.withResolvers<void>();
    const keeper = other.transaction().execute(async (transaction) => {
      await change(transaction, 1, 'kept');
      keeps.resolve();
      await held.promise;
    });
    await keeps.promise;
    const notifiedOf: string[] = [];
    const waits = write(db, LOCKS.itsRows, (into) => change(into, 1, 'changed')).then(() => notifiedOf.push('kept'));
    await Promise.all([note(3), write(db, LOCKS.itsRows, (into) => change(into, 2, 'changed'))]);
    await note(4);
    expect(notifiedOf).toEqual([]);
    held.resolve();
    await Promise.all([keeper, waits]);
    expect(await noted()).toEqual(['1 changed', '2 changed', '3 written', '4 written']);
  });

  it('let go before anybody fails, when two groups wait for each other', async () => {
    await Promise.all([note(1), note(2), note(3), note(4)]);
    const rival = open(openPostgresPool(urlOfDatabase(admin, name)));
    shareCommits(rival);
    const crosswise = (on: Database, order: readonly number[]) =>
      order.map((id) =>
        inShortTransaction(on, LOCKS.itsRows, async (into) => {
          await change(into, id, 'changed');
          // Long enough for the other group to have its first row.
          await pause(20);
        }),
      );
    await Promise.all([...crosswise(db, [1, 2, 3, 4]), ...crosswise(rival, [4, 3, 2, 1])]);
    expect(await noted()).toEqual([1, 2, 3, 4].map((id) => `${id} changed`));
  });

  it('all are notified when nobody knows whether they were committed, and none is done again', async () => {
    losesCommits = true;
    const all = await Promise.allSettled([note(1), note(2)]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked.filter((text) => text.startsWith('insert'))).toHaveLength(2);
    losesCommits = false;
    await note(3);
  });

  it('take the locks that all share in one order, whichever came first', async () => {
    const done: string[] = [];
    const piece = (locks: (typeof LOCKS)[keyof typeof LOCKS], id: number, what: string) =>
      inShortTransaction(db, locks, async (into) => {
        await insert(id).execute(into);
        done.push(what);
      });
    await Promise.all([
      piece(LOCKS.logs, 1, 'logs'),
      piece(LOCKS.watch, 2, 'watch'),
      piece(LOCKS.itsRows, 3, 'its rows'),
    ]);
    expect(done).toEqual(['its rows', 'watch', 'logs']);
  });
});
