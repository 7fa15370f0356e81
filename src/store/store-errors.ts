import { Problem } from '../domain/problem.ts';

/** What a store belongs to; its claims say nothing about another bank, key or Temporal. */
export interface StoreIdentity {
  /** Base URL of the bank, or the sandbox's own mark. */
  bank: string;
  /** Digests of the master accounts that the API key sees. */
  accounts: readonly string[];
  /** Digests of the API keys that have shown to be of the customer whose orders these are. */
  key: readonly string[];
  /** Cluster id from Temporal. */
  cluster: string;
  namespace: string;
}

/** Somebody's statement that recorded parts have changed. */
export interface IdentityAcceptance {
  parts: readonly (keyof StoreIdentity)[];
  by: string;
  at: number;
}

export type IdentityPart = keyof StoreIdentity;

const PARTS: Readonly<Record<IdentityPart, { what: string; setting: string; accept: string }>> = {
  bank: { what: 'the bank', setting: 'PAYOUTS_API_URL', accept: 'bank' },
  accounts: { what: 'a key of the bank that sees', setting: 'PAYOUTS_API_KEY', accept: 'accounts' },
  key: { what: 'a key of the bank that shows', setting: 'PAYOUTS_API_KEY', accept: 'key' },
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
        `payouts doctor --accept ${accept}`,
      { hint: 'Use another PAYOUTS_HOME for another bank, key or Temporal.' },
    );
    this.part = part;
    this.recorded = recorded;
    this.given = given;
  }
}

/** Of its PostgreSQL. These have classes of their own because Temporal shows an activity's failure by the name of its class. */
export class StoreUnreachableError extends Problem {}
export class StoreRefusedError extends Problem {}
/** Another process has locked the store's file for too long. Nothing was done. */
export class StoreBusyError extends Problem {}

type StoreFileProblem =
  | 'no-file'
  | 'file-system'
  | 'file-exists'
  | 'not-a-store'
  | 'unused-store'
  | 'store-damaged'
  | 'store-in-use'
  | 'store-itself'
  | 'store-replaced';

/** A file cannot be backed up or restored as a store. Nothing was changed. */
export class StoreFileError extends Problem {
  constructor(code: StoreFileProblem, message: string, hint: string, cause?: unknown) {
    super('set-up', code, `${message}.`, { hint, cause });
  }
}
