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
