import { Problem } from '../domain/problem.ts';
import { openQuestions } from './question.ts';

export const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks on the terminal; without one, `--yes` is required. Throws if the answer is not yes. */
export async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!hasTerminal()) {
    throw new Problem('usage', 'confirmation-needed', 'There is no terminal for the confirmation.', {
      hint: 'Add --yes to go ahead without confirmation.',
    });
  }
  const questions = openQuestions(process.stdin, process.stderr);
  const answer = await questions.ask(`${question} [y/N] `);
  questions.close();
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new Problem('usage', 'not-confirmed', 'Not confirmed; nothing was sent.');
  }
}
