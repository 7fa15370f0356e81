import { errorDocument } from '../intake/error-document.ts';
import type { Finding } from '../rules/finding.ts';

/** Exit codes of `run` and `watch`; other commands use the ones that fit. Contract: design, "Commands". */
export const EXIT = {
  completed: 0,
  internal: 1,
  usage: 2,
  invalidInput: 3,
  authentication: 4,
  exceptions: 5,
  stillOpen: 6,
  unreachable: 7,
  alreadyTaken: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An end of a command that is no result: told on stderr, or as the `error` document with `--json`. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exit: ExitCode;
  readonly code: string;
  readonly hint: string;
  readonly batchId: string | undefined;
  readonly findings: readonly Finding[];
  /** Files written about the refusal, absolute paths by kind. */
  readonly reports: Readonly<Record<string, string>> | undefined;

  constructor(
    exit: ExitCode,
    code: string,
    message: string,
    more: {
      hint?: string;
      batchId?: string;
      findings?: readonly Finding[];
      reports?: Readonly<Record<string, string>>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.exit = exit;
    this.code = code;
    this.hint = more.hint ?? '';
    this.batchId = more.batchId;
    this.findings = more.findings ?? [];
    this.reports = more.reports;
  }

  /** The document `--json` prints for an error. */
  toDocument(): object {
    return errorDocument(this);
  }
}
