/** One POST as it was read, and what became of it. */
export interface LoggedPost {
  /** Counted from 1 since the start. */
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  operation: string;
  path: string;
  /** The text of the body; of a card's only the first six digits and the last four. */
  body: string;
  /** Kind of the scripted or planned fault that hit it. */
  fault: string | null;
  /** When it was executed; null while it is not. */
  committedAt: number | null;
  /** Order, beneficiary, card payment or 3-D Secure session that its execution named. */
  madeId: string | null;
  /** The whole answer, whether it arrived or not; null: there was none. `code` is null without an envelope. */
  answered: { httpStatus: number; code: number | null } | null;
}

const KEPT = 2_000;

/** The last POSTs to the bank, token requests left out. In memory: who wants all of them asks again before a restart. */
export class PostLog {
  readonly #posts: LoggedPost[] = [];
  #count = 0;

  /** The entry; what becomes of the POST is written into it. */
  add(post: Pick<LoggedPost, 'at' | 'operation' | 'path' | 'body' | 'fault'>): LoggedPost {
    this.#count += 1;
    const entry: LoggedPost = { ...post, seq: this.#count, committedAt: null, madeId: null, answered: null };
    this.#posts.push(entry);
    if (this.#posts.length > KEPT) this.#posts.shift();
    return entry;
  }

  /** Those after `seq`, oldest first. */
  after(seq: number): LoggedPost[] {
    return this.#posts.filter((post) => post.seq > seq);
  }
}
