import { Problem } from '../domain/problem.ts';
import type { StoreIdentity } from './store-identity.ts';

export type IdentityPart = keyof StoreIdentity;

const PARTS: Readonly<Record<IdentityPart, { what: string; setting: string; accept: string }>> = {
  bank: { what: 'the bank', setting: 'PAYOUTS_API_URL', accept: 'bank' },
  accounts: { what: 'a key of the bank that sees', setting: 'PAYOUTS_API_KEY', accept: 'accounts' },
  cluster: { what: 'the Temporal cluster', setting: 'TEMPORAL_ADDRESS', accept: 'temporal' },
  namespace: { what: 'the Temporal namespace', setting: 'TEMPORAL_NAMESPACE', accept: 'temporal' },
};

/** The store belongs to another bank, key or Temporal than this process: its claims would say nothing here. */
export class StoreIdentityError extends Problem {
  readonly part: IdentityPart;
  readonly recorded: string;
  readonly given: string;

  /** `recorded` and `given` as shown to people: for accounts their number, never their ids. */
  constructor(part: IdentityPart, recorded: string, given: string) {
    const { what, setting, accept } = PARTS[part];
    super(
      'set-up',
      'wrong-store',
      `this store belongs to ${what} ${recorded}, not to ${given}: correct ${setting}, or use another store ` +
        `(PAYOUTS_STORE_URL or PAYOUTS_HOME). Only if it is the same one, changed: stop every worker, then run ` +
        `payouts doctor --accept ${accept} --by NAME`,
      { hint: 'Use another PAYOUTS_HOME for another bank, key or Temporal.' },
    );
    this.part = part;
    this.recorded = recorded;
    this.given = given;
  }
}

/** The store URL has an unknown form. It is not repeated, as it may hold a password. */
export class StoreUrlError extends Problem {
  constructor() {
    super(
      'set-up',
      'store-url',
      'the store URL must be "file:<path>", "file::memory:" or "postgres://..." (PAYOUTS_STORE_URL)',
    );
  }
}

const DISK_FULL = '53100';

/** The store's PostgreSQL does not answer, or cannot write now. The request may have been carried out: repeat it. */
export class StoreUnreachableError extends Problem {
  /** `code`: SQLSTATE or Node's error code; empty if none. */
  constructor(code: string, cause: unknown) {
    const what = code === DISK_FULL ? 'has no space left on its disk' : 'does not answer';
    super('unreachable', 'store-unreachable', `The store ${what}${code === '' ? '' : ` (${code})`}.`, {
      hint: 'Check its PostgreSQL (PAYOUTS_STORE_URL). Nothing is lost: run the same command again.',
      cause,
    });
  }
}

/** Another process has locked the store's file for longer than the patience. Nothing was done: repeat the request. */
export class StoreBusyError extends Problem {
  constructor(waitedMs: number, cause: unknown) {
    super(
      'unreachable',
      'store-busy',
      `Another process has been using the store alone for ${waitedMs / 1000} seconds.`,
      {
        hint: 'It may be suspended: let it go on, or end it. Nothing is lost: run the same command again.',
        cause,
      },
    );
  }
}

/** Why PostgreSQL refuses access to the store, and what to do about it, as texts of the error. */
export interface StoreRefusal {
  why: string;
  hint: string;
}

/** The store's PostgreSQL answers but refuses access; repeating does not help. Nothing of its address is repeated. */
export class StoreRefusedError extends Problem {
  /** `code`: SQLSTATE or Node's error code; empty if none. */
  constructor({ why, hint }: StoreRefusal, code: string, cause: unknown) {
    super('set-up', 'store-refused', `The store's PostgreSQL ${why}${code === '' ? '' : ` (${code})`}.`, {
      hint,
      cause,
    });
  }
}

/** A later build has removed something from the store that this one uses. */
export class StoreNewerError extends Problem {
  constructor(step: string) {
    super(
      'set-up',
      'store-newer',
      `a later version of this program has removed something from the store that this one uses (${step}).`,
      {
        hint: 'Use that version, or a later one.',
      },
    );
  }
}

/** The store's tables come from steps that do not lead to this build's. Nothing was changed. */
export class StoreOtherVersionError extends Problem {
  constructor(where: string, step: string) {
    super(
      'set-up',
      'store-other-version',
      `the store in ${where} was made by a version that this one does not continue, such as one from before the first ` +
        `release (${step}).`,
      {
        hint: 'End what is open in it with that version, then use a new store (PAYOUTS_HOME or PAYOUTS_STORE_URL).',
      },
    );
  }
}

type StoreFileProblem =
  | 'no-file'
  | 'file-system'
  | 'file-exists'
  | 'not-a-store'
  | 'unused-store'
  | 'store-damaged'
  | 'store-in-use'
  | 'store-itself';

/** A file cannot be backed up or restored as a store. Nothing was changed. */
export class StoreFileError extends Problem {
  constructor(code: StoreFileProblem, message: string, hint: string, cause?: unknown) {
    super('set-up', code, `${message}.`, { hint, cause });
  }
}
