import { parseAmount } from '../../domain/money.ts';
import type { Database } from '../database.ts';
import { DEFAULT_SETTLE_TIMES, type SettleTimes } from './order-machine.ts';
import type { Profile } from './profile.ts';

export interface Books {
  readonly db: Database;
  readonly settings: Settings;
  /** Changed in place by the test route. */
  readonly profile: Profile;
  /** Epoch milliseconds. */
  now(): number;
  /** The next random number in [0, 1) for the profile `pageOrder: 'shuffled'`. */
  nextShuffle(): number;
}

const DEFAULT_AUDIT_THRESHOLDS: Readonly<Record<string, string>> = { JPY: '1500000', HKD: '80000.00' };
const OTHER_AUDIT_THRESHOLD_MINOR = 1_000_000n;

/** Fixed while the sandbox runs. */
export interface Settings {
  settle: SettleTimes;
  /** Orders from this amount on (minor units of the currency) wait for an audit. */
  auditThreshold(currency: string): bigint;
}

/** `auditThreshold`: decimal strings by currency, overriding the defaults (10000.00; JPY 1500000; HKD 80000.00). */
export function settingsOf(options: {
  settle?: Partial<SettleTimes>;
  auditThreshold?: Record<string, string>;
}): Settings {
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
