import type { ReasonCode } from './reasons.ts';

/**
 * What a provider is asked about a payee before it is paid. `verification`: whether the account is held under that name
 * (Verification of Payee, Confirmation of Payee). `screening`: whether the payee is on a list of those who must not be paid.
 */
export const CHECK_KINDS = ['verification', 'screening'] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** `not-available`: the provider cannot tell, or did not answer. */
export type VerificationVerdict = 'match' | 'close-match' | 'no-match' | 'not-available';
export type ScreeningVerdict = 'clear' | 'hit' | 'not-available';
export type CheckVerdict = VerificationVerdict | ScreeningVerdict;

/** The verdict on a payout's payee, as part of an assessment. It holds no name. */
export interface PayeeCheck {
  kind: CheckKind;
  verdict: CheckVerdict;
  provider: string;
  /** Digest of the details asked about. */
  payee: string;
  /** Digest of these details and the answer; a decision to pay anyway is bound to it. */
  digest: string;
  /** Epoch ms. */
  askedAt: number;
}

/** Verdicts that stop a payment until people let it through; any other lets it pass. */
const OBJECTIONS: Readonly<Record<CheckKind, Partial<Record<CheckVerdict, ReasonCode>>>> = {
  screening: { hit: 'screening-hit', 'not-available': 'screening-not-available' },
  verification: {
    'no-match': 'payee-no-match',
    'close-match': 'payee-close-match',
    'not-available': 'payee-not-verified',
  },
};

/** Why people must let a payment through in spite of a verdict; undefined if they need not. */
export const objectionOf = ({ kind, verdict }: Pick<PayeeCheck, 'kind' | 'verdict'>): ReasonCode | undefined =>
  OBJECTIONS[kind][verdict];

/** Whether a reading has a verdict of each of these kinds, whatever the verdict. */
export const hasVerdicts = (checks: readonly PayeeCheck[] | undefined, kinds: readonly CheckKind[]): boolean =>
  kinds.every((kind) => checks?.some((check) => check.kind === kind) === true);

/** The verification verdict of a reading; undefined if no provider was asked. */
export const verificationIn = (checks: readonly PayeeCheck[] = []): CheckVerdict | undefined =>
  checks.find(({ kind }) => kind === 'verification')?.verdict;
