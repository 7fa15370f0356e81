import type { Database } from '../sandbox-database.ts';
import type { SettleTimes } from './order-machine.ts';
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

/** Fixed while the sandbox runs. */
export interface Settings {
  settle: SettleTimes;
  /** Orders from this amount on (minor units of the currency) wait for an audit. */
  auditThreshold(currency: string): bigint;
}
