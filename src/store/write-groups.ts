import { setImmediate } from 'node:timers/promises';
import { isAbortedTransactionError, sql } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction, lostRace } from './transaction.ts';

type Work<T> = (db: Database) => Promise<T>;

/**
 * What a piece of work locks beside rows that nobody else is about to write, in the order in which all lock it: the watch of an open
 * order, then the outbox and the audit log. Pieces of a group run in this order, so that two groups seldom meet crosswise.
 */
export const LOCKS = { itsRows: 0, watch: 1, logs: 2 } as const;
type Locks = (typeof LOCKS)[keyof typeof LOCKS];

/** A small write of one caller. It may be begun again: it keeps nothing outside the database. */
interface Piece {
  locks: Locks;
  work: Work<unknown>;
  alone(): Promise<unknown>;
  answer: PromiseWithResolvers<unknown>;
}

/** Nobody waits for more than this many others. */
const PIECES_MAX = 32;
/** A group gives up on a lock long before PostgreSQL looks for a deadlock (`deadlock_timeout`, 1 s). */
const LOCK_PATIENCE_MS = 100;
/** Those who come next wait for a group no longer than this: somebody may keep one of its pieces from a lock. */
const GROUP_PATIENCE_MS = 250;

/**
 * Small writes of this process on PostgreSQL: those that come while others are being written are one transaction, committed
 * together. Each is answered when it is durable. A group is written as a whole or not at all: when one of its pieces fails, or
 * meets a lock that another transaction keeps, nothing of it is written and each piece is done by itself, as if there were no
 * groups. So no piece fails with another one, and nobody waits for a lock while it keeps those of others: of two groups, or a group
 * and a transaction, that wait for each other, the group lets go.
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
      // Whoever was answered by the last group writes what comes next.
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
      // A commit without an answer may be durable: to do it again is for those to decide who asked.
      if (isWritten && !isUndone(error)) for (const { answer } of group) answer.reject(error);
      else await eachAlone(group);
    }
  }
}

/** Answers to a commit that say that it was a rollback. */
const isUndone = (error: unknown): boolean => lostRace(error) || isAbortedTransactionError(error);

async function eachAlone(pieces: readonly Piece[]): Promise<void> {
  const done = async ({ alone, answer }: Piece): Promise<void> => {
    try {
      answer.resolve(await alone());
    } catch (error) {
      answer.reject(error);
    }
  };
  await Promise.all(pieces.map(done));
}

async function orPatienceOver(work: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, GROUP_PATIENCE_MS);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}

const GROUPS = new WeakMap<Database, WriteGroups>();

/** From now on small writes to this database share commits. Not for SQLite, whose driver does it by itself (`group-commit.ts`). */
export const shareCommits = (db: Database): void => void GROUPS.set(db, new WriteGroups(db));

/** A write of one statement, or of some that need no transaction; durable when it is answered. */
export function write<T>(db: Database, locks: Locks, work: Work<T>): Promise<T> {
  const groups = GROUPS.get(db);
  return groups === undefined ? work(db) : groups.write({ locks, work, alone: () => work(db) });
}

/** A short transaction, durable when it is answered; like one that runs `inTransaction`, it may be begun again. */
export function inShortTransaction<T>(db: Database, locks: Locks, work: Work<T>): Promise<T> {
  const alone = (): Promise<T> => inTransaction(db, work);
  const groups = GROUPS.get(db);
  return groups === undefined ? alone() : groups.write({ locks, work, alone });
}
