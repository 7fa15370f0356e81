import type { BankCondition } from '../domain/submission.ts';
import { ENVELOPE_CODES, type EnvelopeCode } from './schemas/envelope.ts';

/**
 * What is known about the effect of a failed call:
 * - `not-sent`: provably no byte of the request left, or the bank refused it before executing it (authentication);
 * - `refused`: the bank judged the request and did nothing;
 * - `exists`: the bank says it already has it;
 * - `ambiguous`: it may have been executed.
 * A read has no effect either way; `retryable` says whether a retry makes sense.
 */
export type KnownOutcome = 'not-sent' | 'refused' | 'exists' | 'ambiguous';

export interface BankErrorDetails {
  outcome: KnownOutcome;
  retryable: boolean;
  /** `GET /v1/banking/accounts/{account_id}`: method and route template, never ids or values. */
  operation: string;
  /** What the bank reported, if anything. */
  condition?: BankCondition;
  /** The bank's own code: shown to people, never used for decisions. */
  code?: number;
  httpStatus?: number;
  /** How long the bank asked us to wait (Retry-After), capped. */
  retryAfterMs?: number;
  /** The token was refused, or had so little life left that a bad request may mean "token expired" (no auth code exists). */
  tokenSuspect?: boolean;
  /** The answer has more bytes than are read: the same read would fail again. */
  tooLarge?: boolean;
  cause?: unknown;
}

/** Base class of the bank client's failures. The message never holds values of the request or free text of the bank. */
export class BankError extends Error {
  override readonly name: string = 'BankError';
  readonly outcome: KnownOutcome;
  readonly retryable: boolean;
  readonly operation: string;
  readonly condition: BankCondition | undefined;
  readonly code: number | undefined;
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly tokenSuspect: boolean;
  readonly tooLarge: boolean;

  constructor(message: string, details: BankErrorDetails) {
    super(message, { cause: details.cause });
    this.outcome = details.outcome;
    this.retryable = details.retryable;
    this.operation = details.operation;
    this.condition = details.condition;
    this.code = details.code;
    this.httpStatus = details.httpStatus;
    this.retryAfterMs = details.retryAfterMs;
    this.tokenSuspect = details.tokenSuspect ?? false;
    this.tooLarge = details.tooLarge ?? false;
  }
}

/** The condition that the bank reported; undefined if it reported none (no connection, no envelope) or for other errors. */
export const conditionOf = (error: unknown): BankCondition | undefined =>
  error instanceof BankError ? error.condition : undefined;

/** The bank judged the call and would judge it the same again. */
export const isJudged = (error: unknown): error is BankError & { condition: BankCondition } =>
  error instanceof BankError && error.condition !== undefined && !error.retryable;

export const isTooLarge = (error: unknown): boolean => error instanceof BankError && error.tooLarge;

export const isBankError = (error: unknown): error is BankError => error instanceof BankError;

export const says = (condition: BankCondition) => (error: unknown) => conditionOf(error) === condition;

/** Result of a read, or undefined for an error that counts as an answer. */
export async function undefinedIf<T>(
  isAnswer: (error: unknown) => boolean,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isAnswer(error)) return undefined;
    throw error;
  }
}

/** No connection (DNS, refused, TLS, connect time-out), or the caller stopped the call before its first byte. */
export class NotSentError extends BankError {
  override readonly name: string = 'NotSentError';
}

/** 401 or 403 without a known envelope code, or the token endpoint refused the key. */
export class AuthenticationError extends BankError {
  override readonly name: string = 'AuthenticationError';
}

/** Unknown outcome: reset, time-out, an answer without an envelope, 5xx on a write, a redirect. */
export class UnknownOutcomeError extends BankError {
  override readonly name: string = 'UnknownOutcomeError';
}

interface CodeRule {
  condition: Exclude<BankCondition, 'unlisted'>;
  /** Outcome of a POST that moves money and got this code on a clean attempt (docs/operations.md). */
  onSubmit: KnownOutcome;
  /** Whether a read that got this code is retried. */
  retryRead: boolean;
}

/** The only table of envelope codes. `npm run docs:tables` writes it into docs/operations.md. */
export const CODE_RULES: Readonly<Record<Exclude<EnvelopeCode, 0>, CodeRule>> = {
  2001: { condition: 'internal-error', onSubmit: 'ambiguous', retryRead: true },
  2002: { condition: 'bad-request', onSubmit: 'refused', retryRead: false },
  2003: { condition: 'already-exists', onSubmit: 'exists', retryRead: false },
  2004: { condition: 'beneficiary-not-found', onSubmit: 'refused', retryRead: false },
  2005: { condition: 'order-not-found', onSubmit: 'ambiguous', retryRead: false },
  2006: { condition: 'account-not-found', onSubmit: 'refused', retryRead: false },
  2007: { condition: 'account-frozen', onSubmit: 'refused', retryRead: false },
  2008: { condition: 'operation-failed', onSubmit: 'ambiguous', retryRead: true },
  2009: { condition: 'unsupported', onSubmit: 'refused', retryRead: false },
  2010: { condition: 'insufficient-funds', onSubmit: 'refused', retryRead: false },
  2011: { condition: 'in-progress', onSubmit: 'ambiguous', retryRead: true },
};

const ruleOf = (code: number): CodeRule | undefined => (CODE_RULES as Readonly<Record<number, CodeRule>>)[code];

export const conditionOfCode = (code: number): BankCondition => ruleOf(code)?.condition ?? 'unlisted';

/**
 * Details of an envelope error; `outcome` and `retryable` override the code's rule where the HTTP status makes it less certain.
 */
type EnvelopeErrorDetails = Omit<BankErrorDetails, 'outcome' | 'retryable' | 'condition' | 'code'> &
  Partial<Pick<BankErrorDetails, 'outcome' | 'retryable'>>;

/** The error of an envelope with a non-zero code. A code that the interface does not list is ambiguous. */
export function envelopeError(code: number, details: EnvelopeErrorDetails): BankError {
  const rule = ruleOf(code);
  const meaning = (ENVELOPE_CODES as Readonly<Record<number, string>>)[code] ?? 'not listed in the interface';
  const message = `${details.operation} answered code ${code} (${meaning})`;
  const outcome = details.outcome ?? rule?.onSubmit ?? 'ambiguous';
  const retryable = details.retryable ?? rule?.retryRead ?? true;
  return new BankError(message, { ...details, code, condition: conditionOfCode(code), outcome, retryable });
}
