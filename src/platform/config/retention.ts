import { ConfigError, key, type ValuesOf } from './key.ts';
import { count } from './values.ts';

/** The retention of Temporal's namespace that the documents ask for: histories are gone before the store erases. */
const LEAST_DAYS = 90;
/** Beyond the last day on which a payout is compared with the bank's orders. */
const BEYOND_DAYS = 30;

export const RETENTION_KEYS = {
  PAYOUTS_RETENTION_DAYS: key(
    count(LEAST_DAYS, 36_500),
    null,
    `days after which personal data of ended payouts is erased, at least ${LEAST_DAYS}, ${BEYOND_DAYS} more than PAYOUTS_RECONCILE_DAYS, and more than PAYOUTS_LOOK_ALIKE_DAYS; absent: it is kept`,
  ),
} as const;

type Values = ValuesOf<typeof RETENTION_KEYS> & { PAYOUTS_RECONCILE_DAYS: number; PAYOUTS_LOOK_ALIKE_DAYS: number };

/** Undefined: nothing is erased. Throws a `ConfigError` for less than returns and look-alikes need. */
export function retentionDaysOf(values: Values): number | undefined {
  const { PAYOUTS_RETENTION_DAYS: days, PAYOUTS_RECONCILE_DAYS: reconciled, PAYOUTS_LOOK_ALIKE_DAYS: alike } = values;
  const least = Math.max(reconciled + BEYOND_DAYS, alike + 1);
  if (days === undefined || days >= least) return days;
  throw new ConfigError(
    'PAYOUTS_RETENTION_DAYS',
    `is ${days}, but returns and look-alikes are searched for so long that at least ${least} are needed`,
    `Set at least ${least}, or fewer days in PAYOUTS_RECONCILE_DAYS or PAYOUTS_LOOK_ALIKE_DAYS.`,
  );
}
