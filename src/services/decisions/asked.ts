import { Problem } from '../../domain/problem.ts';
import type { ActivityDeps } from '../deps.ts';

/** What somebody asks of a workflow at a door. */
export interface Asked {
  /** As the policy names them, or as they named themselves. */
  by: string;
  action: string;
  /** Of the entry: a reference, a batch id, a merchant_request_id. */
  subject: string;
  detail?: Readonly<Record<string, string>>;
}

/** What the audit keeps of an answer; undefined: what was asked for is an entry by itself. */
type Outcome = Readonly<Record<string, string>> | undefined;

/**
 * Asks it, and keeps in the audit who has asked and what came of it: the answer, a refusal, or that none came, after which it may
 * still be carried out.
 */
export async function askKept<Answer>(
  { store, now }: Pick<ActivityDeps, 'store' | 'now'>,
  { by: actor, action, subject, detail }: Asked,
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

/** Of an answer in words. */
export const outcomeInWords = (answer: string | { refused: string }): Outcome =>
  typeof answer === 'string' ? { outcome: answer } : refused(answer.refused);

const isRefusal = (error: unknown): error is Problem => error instanceof Problem && error.kind !== 'unreachable';

const refused = (why: string): Outcome => ({ outcome: 'refused', why });
