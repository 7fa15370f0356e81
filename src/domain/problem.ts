import type { Finding } from './finding.ts';

/**
 * What kind of problem it is. Every door maps the kind, and nothing else, to a code of its own: the command to its exit code, the
 * gateway to an HTTP status.
 */
export type ProblemKind =
  /** Asked for in a way that cannot be done. */
  | 'usage'
  | 'not-found'
  /** Not in the state that it is in. */
  | 'conflict'
  /** This installation is set up wrongly: its operator mends it, and no caller. */
  | 'set-up'
  | 'invalid-input'
  | 'already-taken'
  /** The caller proves no identity; `forbidden`: it is known, and may not. */
  | 'unauthenticated'
  | 'forbidden'
  /** No signature proves who has sent it: there is nothing to log in with. */
  | 'unsigned'
  | 'too-large'
  | 'too-slow'
  | 'too-many'
  /** It broke off on its way. */
  | 'incomplete'
  | 'unsupported-media'
  /** The bank takes our key for nobody's. */
  | 'bank-authentication'
  /** Understood, and refused by the bank or by where a payout stands. */
  | 'refused'
  /** Bank, Temporal, store or gateway give no answer; the same may be asked again. */
  | 'unreachable'
  | 'interrupted'
  | 'internal';

interface Told {
  /** What to do about it. */
  hint?: string;
  batchId?: string;
  findings?: readonly Finding[];
  /** Files written about it, absolute paths by kind. */
  reports?: Readonly<Record<string, string>>;
  /** Seconds after which the same may be asked again. */
  retryAfterS?: number;
  cause?: unknown;
}

/** What goes wrong in a way that people are told of, the same through every door. The message holds no secret and no name. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
  readonly kind: ProblemKind;
  /** kebab-case, as the documents show it. */
  readonly code: string;
  readonly hint: string;
  readonly batchId: string | undefined;
  readonly findings: readonly Finding[];
  readonly reports: Readonly<Record<string, string>> | undefined;
  readonly retryAfterS: number | undefined;

  constructor(kind: ProblemKind, code: string, message: string, told: Told = {}) {
    super(message, told.cause === undefined ? undefined : { cause: told.cause });
    this.kind = kind;
    this.code = code;
    this.hint = told.hint ?? '';
    this.batchId = told.batchId;
    this.findings = told.findings ?? [];
    this.reports = told.reports;
    this.retryAfterS = told.retryAfterS;
  }

  /** The document of an error, through every door. Fixed by test/e2e/documents.ts. */
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

/** The hint wherever Temporal does not answer. */
export const CHECK_TEMPORAL = 'Check TEMPORAL_ADDRESS. Nothing is lost: run the same command again.';
