import { Database } from '../database.ts';
import { draw } from '../draw.ts';
import { type Books, settingsOf } from './books.ts';
import type { SettleTimes } from './order-machine.ts';
import { DEFAULT_PROFILE, type Profile } from './profile.ts';
import { seedBooks } from './seed.ts';

export interface BooksOptions {
  /** SQLite file, created if missing; `:memory:` stores nothing. For one process at a time. */
  file: string;
  /** Whether a new file gets the accounts and beneficiaries of `seed.ts`. */
  seed?: boolean;
  /** Milliseconds an order stays in each status. */
  settle?: Partial<SettleTimes>;
  /** Decimal strings by currency: from this amount on, an order waits for an audit. */
  auditThreshold?: Record<string, string>;
  profile?: Partial<Profile>;
}

/** Opens the books in a file, seeded if it is new. Throws if the file has another version. */
export function openBooks(options: BooksOptions, now: () => number): Books {
  const settings = settingsOf(options);
  const db = new Database(options.file, (empty) => {
    if (options.seed ?? true) seedBooks(empty, now());
  });
  let shuffles = 0;
  return {
    db,
    settings,
    profile: { ...DEFAULT_PROFILE, ...options.profile },
    now,
    nextShuffle: () => {
      shuffles += 1;
      return draw('page order', shuffles);
    },
  };
}
