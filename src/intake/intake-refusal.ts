import type { OriginalMessage } from '../domain/bank-message.ts';
import { Problem } from '../domain/problem.ts';
import type { FindingList } from '../rules/finding-list.ts';

/** A bank message that is refused as a whole. */
export interface UnansweredMessage {
  /** Null when its head could not be read. */
  message: OriginalMessage | null;
  /** Of its bytes. */
  sha256: string;
}

/** Its findings stop the file. */
export const INPUT_INVALID = 'input-invalid';

/** A file that is not taken. Nothing of it was claimed, nothing was sent. */
export class IntakeRefusal extends Problem {
  /** The pain.001 it was, which is owed an answer; absent for other formats and for messages that had theirs. */
  unanswered?: UnansweredMessage;
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
  return new IntakeRefusal('invalid-input', INPUT_INVALID, `${counted}; nothing was sent.`, { findings, hint });
}
