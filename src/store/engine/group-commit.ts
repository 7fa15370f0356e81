import type { DatabaseSync } from 'node:sqlite';
import { whenUnlocked } from './sqlite-lock.ts';

/** Pieces of work that share one commit. */
interface Group {
  /** Resolved when the group is durable, rejected when it is lost. */
  settled: PromiseWithResolvers<void>;
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
 * transaction: a commit costs one disk write however much it holds. Whoever wrote, or read what is not durable yet, is answered
 * when it is durable, and gets the error if the commit fails.
 *
 * A commit blocks the thread while the disk writes. Where several share one, others are about to write as well: after it comes a
 * rest, in which they gather for the next one and other processes find the file unlocked. Reads, and whoever writes alone, never
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
      this.#group = { settled: Promise.withResolvers(), joined: 0, isDue: !this.gathers };
      // Nobody may be waiting when it is rejected.
      this.#group.settled.promise.catch(() => undefined);
    }
    if (this.#group !== undefined) this.#group.joined += 1;
    return isFirst;
  }

  /** Resolves when all that was written so far is durable. */
  get durable(): Promise<void> {
    return this.#group?.settled.promise ?? Promise.resolve();
  }

  /** Commits now, within the current turn. */
  async flush(): Promise<void> {
    const group = this.#group;
    if (group === undefined) return;
    await this.#end(group);
    await group.settled.promise;
  }

  /** Rolls back the group, which must hold only its first transaction. */
  undo(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback');
    this.#group?.settled.resolve();
    this.#group = undefined;
  }

  /**
   * Call after an error: if it ended the database transaction (full disk, say), the group is lost, and all of it must learn so.
   */
  notice(error: unknown): void {
    if (this.#group === undefined || this.#database.isTransaction) return;
    this.#group.settled.reject(error);
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
      group.settled.resolve();
      if (group.joined > 1) this.#startRest(performance.now() - began);
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      group.settled.reject(error);
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
