import type { DatabaseSync } from 'node:sqlite';
import { whenUnlocked } from './sqlite-lock.ts';

/** Work that one commit makes durable together. */
interface Group {
  /** Settled when it is durable, or lost. */
  settled: PromiseWithResolvers<void>;
  /** Pieces of work in it. */
  joined: number;
  /** Its time is over: it is committed at the end of the turn under way. */
  isDue: boolean;
}

/** Calls back once everybody who is about to write has had time to come. */
export type Gather = (close: () => void) => void;

/** Nobody waits for more than this many others. */
const JOINED_MAX = 64;

/**
 * Turns on the one connection of a file, first come, first served. What is written in turns that follow each other becomes one
 * transaction of the database: a commit costs a write to disk, however much is in it. Whoever has written, or has read what is
 * not durable yet, hears of it when it is; should the commit fail, each of them hears that.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  /** Absent: each transaction is a group of its own. */
  readonly #gather: Gather | undefined;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  #group: Group | undefined;

  constructor(database: DatabaseSync, gather: Gather | undefined) {
    this.#database = database;
    this.#gather = gather;
  }

  /** Waits for a turn; whoever has one gives it back by `endTurn`. */
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
      if (group !== undefined) this.#gather?.(() => this.#close(group));
    }
  }

  /** Whether a statement by itself is worth a transaction. */
  get gathers(): boolean {
    return this.#gather !== undefined;
  }

  /** Of the turn under way: something is written that no commit has made durable. */
  get isOpen(): boolean {
    return this.#group !== undefined;
  }

  /** Begins a transaction of the database, or goes on in the one that is open. True: it is the first in it. */
  async join(): Promise<boolean> {
    const isFirst = this.#group === undefined;
    if (isFirst) {
      // Immediate takes the write lock at once: a transaction that reads first and then writes fails when another wrote.
      await whenUnlocked(() => this.#database.exec('begin immediate'));
      this.#group = { settled: Promise.withResolvers(), joined: 0, isDue: !this.gathers };
      // Nobody may have joined when it is lost.
      this.#group.settled.promise.catch(() => undefined);
    }
    if (this.#group !== undefined) this.#group.joined += 1;
    return isFirst;
  }

  /** Resolves when what has been written so far is durable. */
  get durable(): Promise<void> {
    return this.#group?.settled.promise ?? Promise.resolve();
  }

  /** Makes it so now, in the turn under way. */
  async flush(): Promise<void> {
    const group = this.#group;
    if (group === undefined) return;
    await this.#end(group);
    await group.settled.promise;
  }

  /** Undoes the transaction of the first and only one in it. */
  undo(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback');
    this.#group?.settled.resolve();
    this.#group = undefined;
  }

  /** After an error: a full disk, say, ends the transaction of all of them, and nobody may hear that it went well. */
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

  /** In the turn of whoever calls, which it ends. */
  async #commit(group: Group): Promise<void> {
    await this.#end(group);
    this.endTurn();
  }

  async #end(group: Group): Promise<void> {
    try {
      await whenUnlocked(() => this.#database.exec('commit'));
      group.settled.resolve();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      group.settled.reject(error);
    }
    this.#group = undefined;
  }
}
