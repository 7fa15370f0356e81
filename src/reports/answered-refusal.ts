import { join } from 'node:path';
import { Problem } from '../domain/problem.ts';
import type { IntakeRefusal } from '../files/intake/intake-refusal.ts';
import type { Config } from '../platform/config.ts';
import { writeRefusal } from './status-report-files.ts';

/**
 * A refused pain.001 is always answered, with any error; the returned problem says where the answer is. `at`: epoch
 * ms.
 */
export async function answeredRefusal(
  { home, answerVersion: version }: Config,
  refusal: IntakeRefusal,
  at: number,
): Promise<Problem> {
  const { kind, code, message, hint, batchId, findings, unanswered } = refusal;
  if (unanswered === undefined) return refusal;
  const pain002 = await writeRefusal(join(home, 'reports'), { ...unanswered, findings, at, version });
  return new Problem(kind, code, message, { hint, batchId, findings, reports: { pain002 }, cause: refusal });
}
