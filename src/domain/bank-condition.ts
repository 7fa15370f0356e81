/**
 * What a bank says about a call that it did not carry out. Only `src/bank` knows which code, word or status says so
 * (`CODE_RULES`); everything else decides by these conditions.
 */
export type BankCondition =
  | 'internal-error'
  | 'bad-request'
  | 'already-exists'
  | 'beneficiary-not-found'
  | 'order-not-found'
  | 'account-not-found'
  | 'account-frozen'
  | 'operation-failed'
  | 'unsupported'
  | 'insufficient-funds'
  | 'in-progress'
  /** A code that the bank's interface does not list. An HTTP status alone has no condition. */
  | 'unlisted';

/** What the bank said, in words for people: its own code if it has one. */
export const bankSays = (condition: BankCondition, code: number | undefined): string =>
  code === undefined ? condition : `code ${code}`;
