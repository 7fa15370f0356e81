import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { isAbortedTransactionError, sql } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction, lostRace } from './database.ts';
import { whenUnlocked } from './sqlite-lock.ts';

/** Pieces of work that share one commit. */
interface Group {
  /** Resolved when the group is durable, rejected when it is lost. */
  resolved: PromiseWithResolvers<void>;
  /** Number of pieces of work. */
  joined: number;
  /** To be committed at the end of the current turn. */
  isDue: boolean;
}

/** When those who write at one time come together. */
export interface Pace {
  /** Calls `close` once all who are about to write have had time to join. */
  gather(close: () => void): void;
  rest(ms: number): Promise<unknown>;
}

/** Upper bound on the others that one piece of work waits for. */
const JOINED_MAX = 64;

/** How long a rest is, in times of the commit before it, so that commits take a fifth of the process's time at most. */
const REST = 4;
/** On a quick disk many are to share a commit, too: on a slow one nobody is to wait for long. */
const REST_MIN_MS = 20;
const REST_MAX_MS = 50;

/**
 * Gives turns on the single connection of a file, first come, first served. What consecutive turns write becomes one database
 * transaction: a commit costs one disk write however much it holds. A caller that wrote, or read what is not durable yet, is answered
 * when it is durable, and gets the error if the commit fails.
 *
 * A commit blocks the thread while the disk writes. Where several share one, others are about to write as well: after it comes a
 * rest, in which they gather for the next one and other processes find the file unlocked. Reads, and a caller that writes alone, never
 * wait for one.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  /** Absent: each transaction forms a group by itself. */
  readonly #pace: Pace | undefined;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  #group: Group | undefined;
  #rest: Promise<void> | undefined;

  constructor(database: DatabaseSync, pace: Pace | undefined) {
    this.#database = database;
    this.#pace = pace;
  }

  /** Waits for a turn to write, which `endTurn` gives back. */
  async takeTurnToWrite(): Promise<void> {
    if (this.#rest !== undefined && this.#group === undefined) await this.#rest;
    await this.takeTurn();
  }

  /** Waits for a turn, which `endTurn` gives back. */
  async takeTurn(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  endTurn(): void {
    const group = this.#group;
    const next = this.#waiting[0];
    if (group !== undefined && (group.isDue || group.joined >= JOINED_MAX)) {
      void this.#commit(group);
    } else if (next !== undefined) {
      this.#waiting.shift();
      next();
    } else {
      this.#isTaken = false;
      if (group !== undefined) this.#pace?.gather(() => this.#close(group));
    }
  }

  /** Whether a single statement should join a group. */
  get gathers(): boolean {
    return this.#pace !== undefined;
  }

  /** Whether something written is not durable yet; ask within a turn. */
  get isOpen(): boolean {
    return this.#group !== undefined;
  }

  /** Begins a database transaction or joins the open one. True if it is the first in the group. */
  async join(): Promise<boolean> {
    const isFirst = this.#group === undefined;
    if (isFirst) {
      // Immediate takes the write lock at once: a transaction that reads before it writes fails if another one wrote in between.
      await whenUnlocked(() => this.#database.exec('begin immediate'));
      this.#group = { resolved: Promise.withResolvers(), joined: 0, isDue: !this.gathers };
      // Nobody may be waiting when it is rejected.
      this.#group.resolved.promise.catch(() => undefined);
    }
    if (this.#group !== undefined) this.#group.joined += 1;
    return isFirst;
  }

  /** Resolves when all that was written so far is durable. */
  get durable(): Promise<void> {
    return this.#group?.resolved.promise ?? Promise.resolve();
  }

  /** Commits now, within the current turn. */
  async flush(): Promise<void> {
    const group = this.#group;
    if (group === undefined) return;
    await this.#end(group);
    await group.resolved.promise;
  }

  /** Rolls back the group, which must hold only its first transaction. */
  undo(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback');
    this.#group?.resolved.resolve();
    this.#group = undefined;
  }

  /**
   * Call after an error: if it ended the database transaction (full disk, say), the group is lost, and all of it must learn so.
   */
  notice(error: unknown): void {
    if (this.#group === undefined || this.#database.isTransaction) return;
    this.#group.resolved.reject(error);
    this.#group = undefined;
  }

  #close(group: Group): void {
    if (this.#group !== group) return;
    if (this.#isTaken) {
      group.isDue = true;
      return;
    }
    this.#isTaken = true;
    void this.#commit(group);
  }

  /** Uses and ends the caller's turn. */
  async #commit(group: Group): Promise<void> {
    await this.#end(group);
    this.endTurn();
  }

  async #end(group: Group): Promise<void> {
    const began = performance.now();
    try {
      await whenUnlocked(() => this.#database.exec('commit'));
      group.resolved.resolve();
      if (group.joined > 1) this.#startRest(performance.now() - began);
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      group.resolved.reject(error);
    }
    this.#group = undefined;
  }

  #startRest(committedMs: number): void {
    const ms = Math.min(Math.max(REST * committedMs, REST_MIN_MS), REST_MAX_MS);
    const rest = this.#pace?.rest(ms).then(() => {
      if (this.#rest === rest) this.#rest = undefined;
    });
    this.#rest = rest;
  }
}

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
        const reported: unknown[] = [];
        for (const { work } of group) reported.push(await work(transaction));
        isWritten = true;
        return reported;
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
