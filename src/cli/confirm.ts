import { createInterface } from 'node:readline/promises';
import { Problem } from '../domain/problem.ts';

export const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks on the terminal; without one, `--yes` is required. Throws if the answer is not yes. */
export async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!hasTerminal()) {
    throw new Problem('usage', 'confirmation-needed', 'There is no terminal for the confirmation.', {
      hint: 'Add --yes to go ahead without confirmation.',
    });
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question(`${question} [y/N] `);
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new Problem('usage', 'not-confirmed', 'Not confirmed; nothing was sent.');
  }
}
