export type IdentityPart = 'bank' | 'namespace';

/** The store belongs to another bank or Temporal namespace: its claims would say nothing about this one. */
export class StoreIdentityError extends Error {
  override readonly name = 'StoreIdentityError';
  readonly part: IdentityPart;
  readonly recorded: string;
  readonly given: string;

  constructor(part: IdentityPart, recorded: string, given: string) {
    const [what, setting] =
      part === 'bank' ? ['bank', 'PAYOUTS_API_URL'] : ['Temporal namespace', 'TEMPORAL_NAMESPACE'];
    super(
      `this store belongs to the ${what} ${recorded}, not to ${given}: set ${setting} to ${recorded}, ` +
        `or give ${given} a store of its own (PAYOUTS_STORE_URL or PAYOUTS_HOME)`,
    );
    this.part = part;
    this.recorded = recorded;
    this.given = given;
  }
}

/** The store URL has a form this product does not know. The URL is not repeated: it may hold a password. */
export class StoreUrlError extends Error {
  override readonly name = 'StoreUrlError';

  constructor() {
    super('the store URL must be "file:<path>", "file::memory:" or "postgres://..." (PAYOUTS_STORE_URL)');
  }
}

export type StoreFileProblem =
  | 'no-file'
  | 'file-system'
  | 'file-exists'
  | 'not-a-store'
  | 'unused-store'
  | 'store-damaged'
  | 'store-newer'
  | 'store-in-use'
  | 'store-itself';

/** A file cannot be backed up or restored as a store. Nothing was changed. */
export class StoreFileError extends Error {
  override readonly name = 'StoreFileError';
  readonly problem: StoreFileProblem;
  readonly hint: string;

  constructor(problem: StoreFileProblem, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
    this.hint = hint;
  }
}
