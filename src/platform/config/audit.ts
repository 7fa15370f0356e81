import type { KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import { ConfigError, key, Secret, type ValuesOf } from './key.ts';
import { auditKey, count, mailAddress, pathText } from './values.ts';

export const AUDIT_KEYS = {
  PAYOUTS_AUDIT_KEY: key(
    auditKey,
    null,
    'private Ed25519 key in PEM that signs checkpoints of the audit log; absent: audit-key.pem in the home, created at first use',
  ),
  PAYOUTS_AUDIT_CHECKPOINTS: key(
    pathText,
    null,
    'file, preferably on another machine, to which every checkpoint of the audit log is appended; absent: they stay in the store',
  ),
  PAYOUTS_AUDIT_MAIL_SPOOL: key(
    pathText,
    null,
    'folder in which every checkpoint of the audit log is placed as a mail, for the mail system to send; absent: none',
  ),
  PAYOUTS_AUDIT_MAIL_TO: key(mailAddress, 'root@localhost', 'sender and recipient of these mails'),
} as const;

export function auditConfigOf(values: ValuesOf<typeof AUDIT_KEYS>) {
  const { PAYOUTS_AUDIT_KEY: key, PAYOUTS_AUDIT_CHECKPOINTS: file, PAYOUTS_AUDIT_MAIL_SPOOL: folder } = values;
  return {
    /** Signs checkpoints; undefined: the key in the home does. */
    key: key && new Secret<KeyObject>(key),
    /** Absolute path of the file to which checkpoints are appended. */
    checkpoints: file === undefined ? undefined : resolve(file),
    spool: folder === undefined ? undefined : { folder: resolve(folder), to: values.PAYOUTS_AUDIT_MAIL_TO },
  };
}

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
