/**
 * What a bank says about a call that it did not carry out. Which code, word or status says it is for `src/api` to know
 * (`CODE_RULES`); everybody else decides by these.
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
  /** None of these: a code that the bank's interface does not list. An HTTP status alone says nothing: it has no condition. */
  | 'unlisted';

/** What a bank has said, for people: by its own code where it has one. */
export const bankSays = (condition: BankCondition, code: number | undefined): string =>
  code === undefined ? condition : `code ${code}`;
