/**
 * The fencing token of a payout: which store keeps it, and as the how-manyth holder a run has it. Every send and every
 * write of a payout carries the claim of its run; a run that is no longer the holder hears "superseded" and prepares anew.
 */
export interface Claim {
  storeId: string;
  /** Of the payout. */
  reference: string;
  /** From 1; each run that takes the claim over has the next one. */
  term: number;
}

/** The run does not hold the claim any more, or its payout has an end: it does nothing further and prepares anew. */
export class Superseded extends Error {
  constructor(why = 'another run holds the claim, or the payout has ended') {
    super(why);
    this.name = 'Superseded';
  }
}

/** This store, bank or namespace is not the one the payout belongs to: nothing is done here, another worker may be right. */
export class WrongWorld extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'WrongWorld';
  }
}
