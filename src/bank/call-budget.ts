import { AsyncLocalStorage } from 'node:async_hooks';
import { afterCall, type CallEnd, callsNow, HEALTHY, type Health, sliceOf } from '../domain/pace.ts';
import { orAborted } from './deadline.ts';

interface Admitted {
  /** Before the other calls that wait: a send is already recorded. */
  goesFirst: boolean;
  signal: AbortSignal;
}

/** Admits each call of the bank before it leaves, and learns its result. */
export interface Admission {
  /** Resolves when the call may leave; rejects if the signal aborts first, or if the budget cannot be booked. */
  admit(call: Admitted): Promise<void>;
  ended(call: CallEnd): void;
}

/** Shared by all processes that call the bank. */
export interface CallBudgetOptions {
  /** Calls per second, for all users together and for one user. */
  limits: { all: number; user: number };
  /** Books the next slice of this length for one process, from now or after earlier bookings; returns its start, epoch ms. */
  book(key: string, lengthMs: number): Promise<number>;
  /** Epoch ms. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

const user = new AsyncLocalStorage<string>();

/** Counts the calls made by `work` against this user's limit. */
export const onBehalfOf = <T>(uid: string, work: () => T): T => user.run(uid, work);

const ALL = 'all';
/** Beyond this many users, unused budgets are dropped. */
const USERS_MAX = 1_000;

/**
 * This process's share of the common budget: time slices, each booked for one process, in which it makes as many calls as fit.
 * Unused calls of a slice are lost.
 */
export class CallBudget implements Admission {
  readonly #options: CallBudgetOptions;
  readonly #all: Gate;
  readonly #users = new Map<string, Gate>();
  #health: Health = HEALTHY;

  constructor(options: CallBudgetOptions) {
    this.#options = options;
    const { now } = options;
    this.#all = new Gate(ALL, options.limits.all, options, (calls) => callsNow(this.#health, calls, now()));
  }

  async admit(call: Admitted): Promise<void> {
    const uid = user.getStore();
    if (uid !== undefined) await this.#ofUser(uid).pass(call);
    await this.#all.pass(call);
  }

  ended(call: CallEnd): void {
    this.#health = afterCall(this.#health, call, this.#options.now());
  }

  #ofUser(uid: string): Gate {
    const known = this.#users.get(uid);
    if (known !== undefined) return known;
    if (this.#users.size >= USERS_MAX) {
      for (const [other, gate] of this.#users) if (gate.isSettled) this.#users.delete(other);
    }
    const gate = new Gate(`user ${uid}`, this.#options.limits.user, this.#options, (calls) => calls);
    this.#users.set(uid, gate);
    return gate;
  }
}

interface Waiting extends PromiseWithResolvers<void> {
  isGone: boolean;
}

/** Queue of calls under one limit: those that go first before the others, each first come, first served. */
class Gate {
  readonly #key: string;
  readonly #options: CallBudgetOptions;
  readonly #slice: { calls: number; lengthMs: number };
  /** How many calls of a slice may be made now. */
  readonly #paced: (calls: number) => number;
  readonly #first: Waiting[] = [];
  readonly #others: Waiting[] = [];
  #left = 0;
  #endsAt = 0;
  #isServing = false;

  constructor(key: string, perSecond: number, options: CallBudgetOptions, paced: (calls: number) => number) {
    this.#key = key;
    this.#options = options;
    this.#slice = sliceOf(perSecond);
    this.#paced = paced;
  }

  get isSettled(): boolean {
    return !this.#isServing;
  }

  async pass({ goesFirst, signal }: Admitted): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isServing && this.#take()) return;
    const waiting: Waiting = { ...Promise.withResolvers<void>(), isGone: false };
    (goesFirst ? this.#first : this.#others).push(waiting);
    if (!this.#isServing) void this.#serve();
    try {
      await orAborted(waiting.promise, signal);
    } catch (error) {
      waiting.isGone = true;
      throw error;
    }
  }

  /** Takes a call left over from the last slice. */
  #take(): boolean {
    if (this.#left === 0 || this.#options.now() >= this.#endsAt || this.#paced(1) === 0) return false;
    this.#left -= 1;
    return true;
  }

  /** Runs until nobody waits. */
  async #serve(): Promise<void> {
    this.#isServing = true;
    try {
      while (this.#hasWaiting()) {
        await this.#nextSlice();
        // Even if the slice is over by now: on a slow machine or store every slice would be over before it can be used.
        while (this.#left > 0 && this.#hasWaiting()) this.#letGo();
      }
    } catch (error) {
      for (const { reject } of [...this.#first.splice(0), ...this.#others.splice(0)]) reject(error);
    } finally {
      this.#isServing = false;
    }
  }

  #hasWaiting(): boolean {
    for (const queue of [this.#first, this.#others]) while (queue[0]?.isGone) queue.shift();
    return this.#first.length + this.#others.length > 0;
  }

  #letGo(): void {
    this.#left -= 1;
    (this.#first.shift() ?? this.#others.shift())?.resolve();
  }

  async #nextSlice(): Promise<void> {
    const { book, now, sleep } = this.#options;
    const { calls, lengthMs } = this.#slice;
    while (this.#paced(calls) === 0) {
      await sleep(lengthMs);
      // A caller that has left meanwhile needs no slice, and nobody keeps a command up that has given up.
      if (!this.#hasWaiting()) return;
    }
    const askedAt = now();
    const startsAt = await book(this.#key, lengthMs);
    // Uses the later of the clock before and after: if it is corrected in between, nobody must wait for the time it showed.
    const waitMs = startsAt - Math.max(askedAt, now());
    if (waitMs > 0) await sleep(waitMs);
    this.#left = this.#paced(calls);
    this.#endsAt = startsAt + lengthMs;
  }
}
