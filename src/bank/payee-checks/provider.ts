import type { ScreeningVerdict, VerificationVerdict } from '../../domain/payee-check.ts';

/** What a party is looked up by in a list of parties. */
export interface Party {
  name: string;
  /** `personal` or `business`, as the bank calls it. */
  type?: string;
  /** ISO 3166 alpha-2. */
  country?: string;
}

/** A party with the account on which it is to be paid. */
export interface PayeeAccount extends Party {
  currency: string;
  /** Account number and bank codes, by the field names of the interface: `iban_no`, `swift_code`, ... */
  account: Readonly<Record<string, string>>;
}

export interface Verification {
  verdict: VerificationVerdict;
  /** For a close match: the name of the account holder. */
  otherName?: string;
  /** The provider's id for its answer. */
  caseId?: string;
}

export interface Screening {
  verdict: ScreeningVerdict;
  caseId?: string;
}

/** Checks payees before they are paid. A missing answer is thrown as a `CheckFailure`. */
export interface CheckProvider {
  /** Verdicts are stored under this name; a verdict from a provider with another name is not reused. */
  readonly name: string;
  verifyPayee(payee: PayeeAccount): Promise<Verification>;
  screen(party: Party): Promise<Screening>;
  close(): Promise<void>;
}

/** The provider has given no usable answer. The message contains nothing of the request or the answer. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
}
