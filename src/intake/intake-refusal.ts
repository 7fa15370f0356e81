import type { OriginalMessage } from '../domain/bank-message.ts';
import type { Finding } from '../rules/finding.ts';
import type { FindingList } from '../rules/finding-list.ts';
import { errorDocument } from './error-document.ts';

/** Why a file is not taken: by kind, so that each door answers in its own way (exit code, HTTP status, report). */
export type RefusalKind = 'unreadable' | 'invalid' | 'already-taken' | 'other-plan' | 'maker-unknown';

/** A bank message that is refused as a whole. */
export interface UnansweredMessage {
  /** Null when its head could not be read. */
  message: OriginalMessage | null;
  /** Of its bytes. */
  sha256: string;
}

/** A file that is not taken. Nothing of it was claimed, nothing was sent. */
export class IntakeRefusal extends Error {
  override readonly name = 'IntakeRefusal';
  readonly kind: RefusalKind;
  /** kebab-case, as the documents show it. */
  readonly code: string;
  /** What to do. */
  readonly hint: string;
  readonly batchId: string | undefined;
  readonly findings: readonly Finding[];
  /** The pain.001 it was, which is owed an answer; absent for other formats and for messages that had theirs. */
  unanswered?: UnansweredMessage;

  constructor(
    kind: RefusalKind,
    code: string,
    message: string,
    more: { hint: string; batchId?: string; findings?: readonly Finding[] },
  ) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.hint = more.hint;
    this.batchId = more.batchId;
    this.findings = more.findings ?? [];
  }

  /** The `error` document. */
  toDocument(): object {
    return errorDocument(this);
  }
}

/** Every row was taken by batches that have ended, `latest` last. */
export function alreadyTaken(latest: string | undefined): IntakeRefusal {
  const message = 'Every row of this file was taken before; nothing was sent.';
  const hint = latest === undefined ? 'See payouts status ID.' : `payouts report ${latest} shows how it ended.`;
  return new IntakeRefusal('already-taken', 'already-taken', message, { batchId: latest, hint });
}

/** A file whose findings stop it. */
export function invalidInput(found: FindingList, hint: string): IntakeRefusal {
  const findings = found.list();
  const places = new Set(findings.map(({ row }) => row)).size;
  const counted = `${found.total} ${found.total === 1 ? 'finding' : 'findings'} in ${places} ${places === 1 ? 'place' : 'places'}`;
  return new IntakeRefusal('invalid', 'input-invalid', `${counted}; nothing was sent.`, { findings, hint });
}
