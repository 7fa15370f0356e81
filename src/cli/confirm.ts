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
  const questions = openQuestions(process.stdin, process.stderr);
  const answer = await questions.ask(`${question} [y/N] `);
  questions.close();
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new Problem('usage', 'not-confirmed', 'Not confirmed; nothing was sent.', {
      hint: 'Run it again, and answer y.',
    });
  }
}

/** The line that is typed on the terminal. Throws a `Problem` without a terminal, and for an empty line. */
export async function answerOrRefuse(question: string, option: string): Promise<string> {
  const missing = new Problem('usage', `${option.slice('--'.length)}-missing`, `${option} is missing.`, {
    hint: `Add ${option} with a value of your own.`,
  });
  if (!hasTerminal()) throw missing;
  const questions = openQuestions(process.stdin, process.stderr);
  const answer = await questions.ask(`${question} `);
  questions.close();
  if (answer.trim() === '') throw missing;
  return answer.trim();
}

interface Questions {
  /** Throws a `Problem` if Ctrl-C or the end of the input comes instead of an answer. */
  ask(question: string): Promise<string>;
  close(): void;
}

/** Questions to the person at the terminal. */
export function openQuestions(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Questions {
  const prompt = createInterface({ input, output, terminal: true });
  const ended = new AbortController();
  prompt.on('SIGINT', () => prompt.close());
  prompt.on('close', () => ended.abort());
  const ask = async (question: string): Promise<string> => {
    try {
      return await prompt.question(question, { signal: ended.signal });
    } catch (error) {
      if (!ended.signal.aborted) throw error;
      throw new Problem(
        'interrupted',
        'not-answered',
        'The question was not answered; what it asks about was not done.',
        { hint: 'Run it again, and answer it.' },
      );
    }
  };
  return { ask, close: () => prompt.close() };
}
