import { ENVELOPE_CODES, type EnvelopeCode } from './schemas/envelope.ts';

/**
 * What a failed call tells about its effect:
 * - `not-sent`: provably no byte of the request left, or the bank refused it before executing (authentication);
 * - `refused`: the bank judged the request and did nothing;
 * - `exists`: the bank says it already has it (2003);
 * - `ambiguous`: it may have been executed.
 * For a read the effect is nothing either way; `retryable` says whether asking again makes sense.
 */
export type KnownOutcome = 'not-sent' | 'refused' | 'exists' | 'ambiguous';

export interface BankErrorDetails {
  outcome: KnownOutcome;
  retryable: boolean;
  /** `GET /v1/banking/accounts/{account_id}`: method and route template, never ids or values. */
  operation: string;
  code?: number;
  httpStatus?: number;
  /** How long the bank asked us to wait (Retry-After), capped. */
  retryAfterMs?: number;
  /** The token was refused, or had so little life left that a 2002 may mean "token expired" (no auth code exists). */
  tokenSuspect?: boolean;
  cause?: unknown;
}

/** Base of every failure of the bank client. The message never holds a value of the request or the bank's free text. */
export class BankError extends Error {
  override readonly name: string = 'BankError';
  readonly outcome: KnownOutcome;
  readonly retryable: boolean;
  readonly operation: string;
  readonly code: number | undefined;
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly tokenSuspect: boolean;

  constructor(message: string, details: BankErrorDetails) {
    super(message, { cause: details.cause });
    this.outcome = details.outcome;
    this.retryable = details.retryable;
    this.operation = details.operation;
    this.code = details.code;
    this.httpStatus = details.httpStatus;
    this.retryAfterMs = details.retryAfterMs;
    this.tokenSuspect = details.tokenSuspect ?? false;
  }
}

/** No connection: DNS, refused, TLS, connect time-out; or the caller's fence stopped the call. */
export class NotSentError extends BankError {
  override readonly name: string = 'NotSentError';
}

/** 401 or 403 without a known envelope code, or the token endpoint refused the key. */
export class AuthenticationError extends BankError {
  override readonly name: string = 'AuthenticationError';
}

/** Reset, time-out, an answer that is no envelope, 5xx on a write, a redirect: nobody knows. */
export class UnknownOutcomeError extends BankError {
  override readonly name: string = 'UnknownOutcomeError';
}

/** An envelope with a code other than 0. One class per code (`codeErrors`); unlisted codes use this one. */
export class EnvelopeError extends BankError {
  override readonly name: string = 'EnvelopeError';
}

export class InternalServerError extends EnvelopeError {
  override readonly name = 'InternalServerError';
}
export class BadRequestError extends EnvelopeError {
  override readonly name = 'BadRequestError';
}
export class AlreadyExistedError extends EnvelopeError {
  override readonly name = 'AlreadyExistedError';
}
export class BeneficiaryNotFoundError extends EnvelopeError {
  override readonly name = 'BeneficiaryNotFoundError';
}
export class OrderNotFoundError extends EnvelopeError {
  override readonly name = 'OrderNotFoundError';
}
export class AccountNotFoundError extends EnvelopeError {
  override readonly name = 'AccountNotFoundError';
}
export class AccountFrozenError extends EnvelopeError {
  override readonly name = 'AccountFrozenError';
}
export class OperationFailedError extends EnvelopeError {
  override readonly name = 'OperationFailedError';
}
export class UnsupportedError extends EnvelopeError {
  override readonly name = 'UnsupportedError';
}
export class BalanceNotEnoughError extends EnvelopeError {
  override readonly name = 'BalanceNotEnoughError';
}
export class InProgressError extends EnvelopeError {
  override readonly name = 'InProgressError';
}

type ErrorCode = Exclude<EnvelopeCode, 0>;
type EnvelopeErrorClass = new (message: string, details: BankErrorDetails) => EnvelopeError;

export interface CodeRule {
  errorClass: EnvelopeErrorClass;
  /** What the code says about a POST that moves money, on a clean attempt (money-safety rules, table of codes). */
  onSubmit: KnownOutcome;
  /** Whether a read that got this code is asked again. */
  retryRead: boolean;
}

/** The one table of envelope codes. `docs/errors.md` shows it and a test keeps both the same. */
export const CODE_RULES: Readonly<Record<ErrorCode, CodeRule>> = {
  2001: { errorClass: InternalServerError, onSubmit: 'ambiguous', retryRead: true },
  2002: { errorClass: BadRequestError, onSubmit: 'refused', retryRead: false },
  2003: { errorClass: AlreadyExistedError, onSubmit: 'exists', retryRead: false },
  2004: { errorClass: BeneficiaryNotFoundError, onSubmit: 'refused', retryRead: false },
  2005: { errorClass: OrderNotFoundError, onSubmit: 'ambiguous', retryRead: false },
  2006: { errorClass: AccountNotFoundError, onSubmit: 'refused', retryRead: false },
  2007: { errorClass: AccountFrozenError, onSubmit: 'refused', retryRead: false },
  2008: { errorClass: OperationFailedError, onSubmit: 'ambiguous', retryRead: true },
  2009: { errorClass: UnsupportedError, onSubmit: 'refused', retryRead: false },
  2010: { errorClass: BalanceNotEnoughError, onSubmit: 'refused', retryRead: false },
  2011: { errorClass: InProgressError, onSubmit: 'ambiguous', retryRead: true },
};

/** Details of an envelope error; `outcome` and `retryable` override the code's rule where the HTTP status says less. */
export type EnvelopeErrorDetails = Omit<BankErrorDetails, 'outcome' | 'retryable' | 'code'> &
  Partial<Pick<BankErrorDetails, 'outcome' | 'retryable'>>;

/** The error of an envelope with `code` other than 0. A code the interface does not list is ambiguous. */
export function envelopeError(code: number, details: EnvelopeErrorDetails): EnvelopeError {
  const rule = (CODE_RULES as Readonly<Record<number, CodeRule>>)[code];
  const meaning = (ENVELOPE_CODES as Readonly<Record<number, string>>)[code] ?? 'not listed in the interface';
  const message = `${details.operation} answered code ${code} (${meaning})`;
  const outcome = details.outcome ?? rule?.onSubmit ?? 'ambiguous';
  const retryable = details.retryable ?? rule?.retryRead ?? true;
  return new (rule?.errorClass ?? EnvelopeError)(message, { ...details, code, outcome, retryable });
}
