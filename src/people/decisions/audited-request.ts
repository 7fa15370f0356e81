import { Problem } from '../../domain/problem.ts';
import type { Store } from '../../store/store.ts';

/** A request that somebody makes of a workflow through a channel. */
export interface AuditedRequest {
  /** Name in the policy, or the name they gave themselves. */
  by: string;
  action: string;
  /** Subject of the audit entry: a reference, a batch id or a merchant_request_id. */
  subject: string;
  detail?: Readonly<Record<string, string>>;
}

/** Detail for the audit entry; undefined if the requested action writes its own entry. */
type Outcome = Readonly<Record<string, string>> | undefined;

/**
 * Makes the request and records in the audit who asked and what came of it: the answer, a refusal, or no answer, after which it
 * may still be carried out.
 */
export async function askAudited<Answer>(
  { store, now }: { store: Pick<Store, 'audit'>; now: () => number },
  { by: actor, action, subject, detail }: AuditedRequest,
  ask: () => Promise<Answer>,
  outcomeOf: (answer: Answer) => Outcome,
): Promise<Answer> {
  const keep = (outcome: Outcome): Promise<void> =>
    store.audit({ at: now(), actor, action: `asked to ${action}`, subject, detail: { ...detail, ...outcome } });
  let answer: Answer;
  try {
    answer = await ask();
  } catch (error) {
    await keep(isRefusal(error) ? refused(error.message) : { outcome: 'no answer' });
    throw error;
  }
  const outcome = outcomeOf(answer);
  if (outcome !== undefined) await keep(outcome);
  return answer;
}

/** Audit outcome of an answer that is a sentence. */
export const outcomeInWords = (answer: string | { refused: string }): Outcome =>
  typeof answer === 'string' ? { outcome: answer } : refused(answer.refused);

const isRefusal = (error: unknown): error is Problem => error instanceof Problem && error.kind !== 'unreachable';

const refused = (why: string): Outcome => ({ outcome: 'refused', why });
