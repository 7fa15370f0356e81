import type { KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import { key, Secret, type ValuesOf } from './key.ts';
import { auditKey, mailAddress, pathText } from './values.ts';

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
