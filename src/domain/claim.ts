/**
 * Fencing token of a payout: the store that keeps it, and the term in which a run holds it. Every send and every write carries
 * the claim of its run; a run that no longer holds it gets `Superseded` and prepares again.
 */
export interface Claim {
  storeId: string;
  reference: string;
  /** From 1; increases with each run that takes the claim over. */
  term: number;
}

/** The run no longer holds the claim, or the payout has ended: it does nothing further and prepares again. */
export class Superseded extends Error {
  constructor(why = 'another run holds the claim, or the payout has ended') {
    super(why);
    this.name = 'Superseded';
  }
}

/** The payout belongs to another store, bank or namespace: nothing is done here; another worker may be the right one. */
export class StoreMismatch extends Error {
  override readonly name = 'StoreMismatch';
}
