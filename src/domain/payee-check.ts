import type { ReasonCode } from './reasons.ts';

/**
 * What a provider is asked about a payee before it is paid. `verification`: whether the account is held under that name (Verification
 * of Payee, Confirmation of Payee). `screening`: whether it is on a list of those who must not be paid.
 */
export const CHECK_KINDS = ['verification', 'screening'] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** `not-available`: nobody can say, or nobody has answered. */
export type VerificationVerdict = 'match' | 'close-match' | 'no-match' | 'not-available';
export type ScreeningVerdict = 'clear' | 'hit' | 'not-available';
export type CheckVerdict = VerificationVerdict | ScreeningVerdict;

/** The verdict on the payee of a payout, as a reading shows it. No name is in it. */
export interface PayeeCheck {
  kind: CheckKind;
  verdict: CheckVerdict;
  provider: string;
  /** Digest of the details that were asked about. */
  payee: string;
  /** Digest of these details and of the answer: an override is bound to it. */
  digest: string;
  /** Epoch ms. */
  askedAt: number;
}

/** What stands in the way of a payment; a verdict that is not here lets it pass. */
const OBJECTIONS: Readonly<Record<CheckKind, Partial<Record<CheckVerdict, ReasonCode>>>> = {
  screening: { hit: 'screening-hit', 'not-available': 'screening-not-available' },
  verification: {
    'no-match': 'payee-no-match',
    'close-match': 'payee-close-match',
    'not-available': 'payee-not-verified',
  },
};

/** Why people have to let a payment through in spite of a verdict; undefined: they have not. */
export const objectionOf = ({ kind, verdict }: Pick<PayeeCheck, 'kind' | 'verdict'>): ReasonCode | undefined =>
  OBJECTIONS[kind][verdict];

/** Whether a reading holds a verdict of each of these kinds, whatever it says. */
export const hasVerdicts = (checks: readonly PayeeCheck[] | undefined, kinds: readonly CheckKind[]): boolean =>
  kinds.every((kind) => checks?.some((check) => check.kind === kind) === true);

/** What a reading says of the name of the account; undefined: nobody was asked. */
export const verificationIn = (checks: readonly PayeeCheck[] = []): CheckVerdict | undefined =>
  checks.find(({ kind }) => kind === 'verification')?.verdict;
