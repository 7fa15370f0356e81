import type { Database } from '../database.ts';
import type { Settings } from '../settings.ts';
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
