import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Books } from './bank/books.ts';
import type { FaultPlan, FaultScript, LateCommits } from './faults/faults.ts';

export interface Sandbox {
  books: Books;
  clock: SandboxClock;
  tokens: Tokens;
  /** Also the token for checks of payees. */
  apiSecret: string;
  faults: FaultScript;
  /** Changed by the test route. */
  faultPlan: FaultPlan | undefined;
  lateCommits: LateCommits;
  posts: PostLog;
  /** For comparing cards of sessions and bodies of card requests without storing them. */
  seals: Seals;
  /** `wake` is called when something may be due earlier than before. */
  webhooks: { wake(): void; stop(): Promise<void> };
  allowTestRoutes: boolean;
  /** The sandbox's URL for browsers, without a trailing slash. */
  baseUrl(): string;
  /** Closes the port for `ms` by the machine's clock; open connections continue. */
  refuseConnections(ms: number): void;
}

/** The sandbox's time: a base clock (`Date.now` or a test's) plus an offset that is only in memory. */
export class SandboxClock {
  readonly #base: () => number;
  #offsetMs = 0;
  #onAdvance: () => void = () => {};

  constructor(base: () => number = Date.now) {
    this.#base = base;
  }

  /** Epoch milliseconds. */
  now = (): number => Math.trunc(this.#base()) + this.#offsetMs;

  /** Forward only: statuses never go back in time. Throws a RangeError for a negative or non-integer number. */
  advance(ms: number): void {
    if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError('the clock advances by whole milliseconds from 0 up');
    this.#offsetMs += ms;
    this.#onAdvance();
  }

  /** The time without the offset: what a peer's own clock shows. */
  base = (): number => Math.trunc(this.#base());

  /** `listener` is called after each advance; it replaces the previous one. */
  onAdvance(listener: () => void): void {
    this.#onAdvance = listener;
  }
}

type Tokens = ReturnType<typeof tokensOf>;

/** Access tokens, in memory: after a restart every client authenticates again. */
export function tokensOf(options: { apiKey: string; apiSecret: string; lifeSeconds: number; now: () => number }) {
  const { lifeSeconds, now } = options;
  const secretHash = hashOf(options.apiKey, options.apiSecret);
  /** Token -> expiry, epoch milliseconds. */
  const expiries = new Map<string, number>();
  return {
    /** `undefined` if key or secret is wrong. */
    issue(apiKey: string, apiSecret: string): { access_token: string; expired_in: number } | undefined {
      if (!timingSafeEqual(hashOf(apiKey, apiSecret), secretHash)) return undefined;
      const at = now();
      for (const [token, expiry] of expiries) if (expiry <= at) expiries.delete(token);
      const token = randomBytes(24).toString('base64url');
      expiries.set(token, at + lifeSeconds * 1_000);
      return { access_token: token, expired_in: lifeSeconds };
    },

    /** `header`: the Authorization header, the token alone or after `Bearer `. */
    accepts(header: string | undefined): boolean {
      const expiry = expiries.get((header ?? '').replace(/^Bearer +/i, ''));
      return expiry !== undefined && now() < expiry;
    },
  };
}

const hashOf = (apiKey: string, apiSecret: string): Buffer =>
  hash('sha256', JSON.stringify([apiKey, apiSecret]), 'buffer');

/** One POST as received, and its outcome. */
export interface LoggedPost {
  /** Counted from 1 since the start. */
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  operation: string;
  path: string;
  /** The body's text; of a card only the first six and last four digits. */
  body: string;
  /** Kind of the scripted or planned fault that was applied. */
  fault: string | null;
  /** When it was executed; null until then. */
  committedAt: number | null;
  /** Id of the order, beneficiary, card payment or 3-D Secure session in its result. */
  madeId: string | null;
  /** The answer made, whether it arrived or not; null: none. `code` is null without an envelope. */
  answered: { httpStatus: number; code: number | null } | null;
}

const KEPT = 2_000;

/** The last POSTs to the bank, without token requests. In memory: they must be fetched before a restart. */
export class PostLog {
  readonly #posts: LoggedPost[] = [];
  #count = 0;

  /** Returns the entry, into which the outcome of the POST is written. */
  add(post: Pick<LoggedPost, 'at' | 'operation' | 'path' | 'body' | 'fault'>): LoggedPost {
    this.#count += 1;
    const entry: LoggedPost = { ...post, seq: this.#count, committedAt: null, madeId: null, answered: null };
    this.#posts.push(entry);
    if (this.#posts.length > KEPT) this.#posts.shift();
    return entry;
  }

  /** Entries after `seq`, the oldest first. */
  after(seq: number): LoggedPost[] {
    return this.#posts.filter((post) => post.seq > seq);
  }
}

/**
 * Compares a text that must not be stored with an earlier one. Key and seals are only in memory: from a stored seal, a card
 * number could be found by trying all. After a restart, nothing is known.
 */
export class Seals {
  readonly #key = randomBytes(32);
  readonly #seals = new Map<string, string>();

  put(id: string, text: string): void {
    this.#seals.set(id, this.#sealOf(text));
  }

  /** False if another text was put under `id`; true also if none was. */
  fits(id: string, text: string): boolean {
    const seal = this.#seals.get(id);
    return seal === undefined || seal === this.#sealOf(text);
  }

  #sealOf(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }
}
