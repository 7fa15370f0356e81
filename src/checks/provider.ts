import type { ScreeningVerdict, VerificationVerdict } from '../domain/payee-check.ts';

/** A party, as far as a list of parties is searched for it. */
export interface Party {
  name: string;
  /** `personal` or `business`, as the bank calls it. */
  type?: string;
  /** ISO 3166 alpha-2. */
  country?: string;
}

/** A party with the account that it is to be paid on. */
export interface PayeeAccount extends Party {
  currency: string;
  /** Account number and codes of the bank, under the names of the interface: `iban_no`, `swift_code`, ... */
  account: Readonly<Record<string, string>>;
}

export interface Verification {
  verdict: VerificationVerdict;
  /** Of a close match: the name that the account is held under. */
  otherName?: string;
  /** What the provider calls its answer. */
  caseId?: string;
}

export interface Screening {
  verdict: ScreeningVerdict;
  caseId?: string;
}

/** Who is asked about payees before they are paid. An answer that did not come about is thrown as a `CheckFailure`. */
export interface CheckProvider {
  /** Under which its verdicts are kept: those of another one are asked for anew. */
  readonly name: string;
  verifyPayee(payee: PayeeAccount): Promise<Verification>;
  screen(party: Party): Promise<Screening>;
  close(): Promise<void>;
}

/** The provider has given no usable answer. The message holds nothing of the request, and nothing of what was answered. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
}
