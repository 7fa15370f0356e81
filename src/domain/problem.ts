import type { Finding } from './finding.ts';

/**
 * Kind of a problem. Every channel maps the kind, and nothing else, to a code of its own: the command to its exit code, the
 * gateway to an HTTP status.
 */
export type ProblemKind =
  /** The request is malformed or cannot be done as asked. */
  | 'usage'
  | 'not-found'
  /** There is such a thing, but not for this HTTP method. */
  | 'wrong-method'
  /** Not possible in its present state. */
  | 'conflict'
  /** This installation is configured wrongly: its operator can correct that, a caller cannot. */
  | 'set-up'
  | 'invalid-input'
  | 'already-taken'
  /** The caller proves no identity; `forbidden`: the caller is known but not allowed. */
  | 'unauthenticated'
  | 'forbidden'
  /** No valid signature proves the sender; logging in does not help. */
  | 'unsigned'
  | 'too-large'
  | 'too-slow'
  | 'too-many'
  /** The transfer of the body broke off. */
  | 'incomplete'
  | 'unsupported-media'
  /** The bank does not accept our API key. */
  | 'bank-authentication'
  /** Understood, but refused by the bank or because of the payout's state. */
  | 'refused'
  /** The bank, Temporal, the store or the gateway does not answer; the request may be repeated. */
  | 'unreachable'
  | 'interrupted'
  | 'internal';

interface ProblemDetails {
  /** What to do about it. */
  hint: string;
  batchId?: string;
  findings?: readonly Finding[];
  /** Absolute paths of reports written about it, by kind. */
  reports?: Readonly<Record<string, string>>;
  /** Seconds after which the request may be repeated. */
  retryAfterS?: number;
  cause?: unknown;
}

/** An error shown to people, the same through every channel. The message holds no secret and no name. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
  readonly kind: ProblemKind;
  /** kebab-case, as in the documents. */
  readonly code: string;
  readonly hint: string;
  readonly batchId: string | undefined;
  readonly findings: readonly Finding[];
  readonly reports: Readonly<Record<string, string>> | undefined;
  readonly retryAfterS: number | undefined;

  constructor(kind: ProblemKind, code: string, message: string, details: ProblemDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.code = code;
    this.hint = details.hint;
    this.batchId = details.batchId;
    this.findings = details.findings ?? [];
    this.reports = details.reports;
    this.retryAfterS = details.retryAfterS;
  }

  /** The error document, the same through every channel. Format fixed by test/e2e/documents.ts. */
  toDocument(): object {
    const { code, message, hint, batchId, findings, reports } = this;
    return {
      schemaVersion: 1,
      error: { code, message, hint, ...(batchId === undefined ? {} : { batchId }) },
      findings,
      ...(reports === undefined ? {} : { reports }),
    };
  }
}

/** Hint for every case in which Temporal does not answer. */
export const CHECK_TEMPORAL = 'Check TEMPORAL_ADDRESS. Nothing is lost: run the same command again.';
