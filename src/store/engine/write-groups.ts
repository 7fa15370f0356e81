import { setImmediate } from 'node:timers/promises';
import { isAbortedTransactionError, sql } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction, lostRace } from './transaction.ts';

type Work<T> = (db: Database) => Promise<T>;

/**
 * What a piece of work locks besides rows that nobody else is about to write, in the common lock order: the watch of an open
 * order, then the outbox and the audit log. A group runs its pieces in this order, so that two groups rarely deadlock.
 */
export const LOCKS = { itsRows: 0, watch: 1, logs: 2 } as const;
type Locks = (typeof LOCKS)[keyof typeof LOCKS];

/** A small write of one caller. It may be started again, so it must keep nothing outside the database. */
interface Piece {
  locks: Locks;
  work: Work<unknown>;
  alone(): Promise<unknown>;
  answer: PromiseWithResolvers<unknown>;
}

/** Upper bound on the others that one piece of work waits for. */
const PIECES_MAX = 32;
/** A group gives up on a lock long before PostgreSQL checks for deadlocks (`deadlock_timeout`, 1 s). */
const LOCK_PATIENCE_MS = 100;
/** Longest that later pieces wait for a group: one of its pieces may be stuck on a lock. */
const GROUP_PATIENCE_MS = 250;

/**
 * Groups small writes of this process on PostgreSQL: those that arrive while others are written form one transaction, and each is
 * answered when it is durable. A group is all or nothing: if a piece fails, or meets a lock held by another transaction, nothing
 * is written and each piece runs by itself, as without groups. So no piece fails because of another, and none waits for a lock
 * while holding those of others: of two groups, or a group and a transaction, that block each other, the group lets go.
 */
class WriteGroups {
  readonly #db: Database;
  readonly #waiting: Piece[] = [];
  #isAtWork = false;

  constructor(db: Database) {
    this.#db = db;
  }

  write<T>(piece: Omit<Piece, 'answer'>): Promise<T> {
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.push({ ...piece, answer });
    if (!this.#isAtWork) void this.#writeAll();
    return answer.promise as Promise<T>;
  }

  async #writeAll(): Promise<void> {
    this.#isAtWork = true;
    for (;;) {
      // Callers answered by the last group may add to the next one.
      await setImmediate();
      const group = this.#waiting.splice(0, PIECES_MAX);
      if (group.length === 0) break;
      await orPatienceOver(this.#writeGroup(group.sort((a, b) => a.locks - b.locks)));
    }
    this.#isAtWork = false;
  }

  async #writeGroup(group: readonly Piece[]): Promise<void> {
    if (group.length === 1) return eachAlone(group);
    let isWritten = false;
    try {
      const answers = await this.#db.transaction().execute(async (transaction) => {
        await sql.raw(`set local lock_timeout = ${LOCK_PATIENCE_MS}`).execute(transaction);
        const told: unknown[] = [];
        for (const { work } of group) told.push(await work(transaction));
        isWritten = true;
        return told;
      });
      for (const [at, { answer }] of group.entries()) answer.resolve(answers[at]);
    } catch (error) {
      // An unanswered commit may be durable: only the callers can decide to repeat it.
      if (isWritten && !isUndone(error)) for (const { answer } of group) answer.reject(error);
      else await eachAlone(group);
    }
  }
}

/** Errors of a commit that mean it was rolled back. */
const isUndone = (error: unknown): boolean => lostRace(error) || isAbortedTransactionError(error);

async function eachAlone(pieces: readonly Piece[]): Promise<void> {
  for (const { alone, answer } of pieces) answer.resolve(Promise.resolve().then(alone));
  await Promise.allSettled(pieces.map(({ answer }) => answer.promise));
}

async function orPatienceOver(work: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, GROUP_PATIENCE_MS);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}

const GROUPS = new WeakMap<Database, WriteGroups>();

/** Makes small writes to this database share commits. Not for SQLite, whose driver does so itself (`group-commit.ts`). */
export const shareCommits = (db: Database): void => void GROUPS.set(db, new WriteGroups(db));

/** A write of one statement, or of several that need no transaction; durable when it resolves. */
export function write<T>(db: Database, locks: Locks, work: Work<T>): Promise<T> {
  const groups = GROUPS.get(db);
  return groups === undefined ? work(db) : groups.write({ locks, work, alone: () => work(db) });
}

/** A short transaction, durable when it resolves; like `inTransaction`, it may run `work` again. */
export function inShortTransaction<T>(db: Database, locks: Locks, work: Work<T>): Promise<T> {
  const alone = (): Promise<T> => inTransaction(db, work);
  const groups = GROUPS.get(db);
  return groups === undefined ? alone() : groups.write({ locks, work, alone });
}
