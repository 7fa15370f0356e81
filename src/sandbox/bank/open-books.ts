import { parseAmount } from '../../domain/money.ts';
import { Database } from '../database.ts';
import { draw } from '../draw.ts';
import type { Books, Settings } from './books.ts';
import { DEFAULT_SETTLE_TIMES, type SettleTimes } from './order-machine.ts';
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

const DEFAULT_AUDIT_THRESHOLDS: Readonly<Record<string, string>> = { JPY: '1500000', HKD: '80000.00' };
const OTHER_AUDIT_THRESHOLD_MINOR = 1_000_000n;

/** Without thresholds given, an order waits for an audit from 10000.00 on (JPY 1500000; HKD 80000.00). */
export function settingsOf(options: Pick<BooksOptions, 'settle' | 'auditThreshold'>): Settings {
  const thresholds = new Map<string, bigint>();
  for (const [currency, amount] of Object.entries({ ...DEFAULT_AUDIT_THRESHOLDS, ...options.auditThreshold })) {
    const parsed = parseAmount(amount, currency);
    if (!parsed.ok) throw new RangeError(`audit threshold of ${currency}: ${parsed.rule}`);
    thresholds.set(currency, parsed.minor);
  }
  return {
    settle: { ...DEFAULT_SETTLE_TIMES, ...options.settle },
    auditThreshold: (currency) => thresholds.get(currency) ?? OTHER_AUDIT_THRESHOLD_MINOR,
  };
}
