import { createInterface } from 'node:readline/promises';
import { Problem } from '../domain/problem.ts';

export interface Questions {
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
      );
    }
  };
  return { ask, close: () => prompt.close() };
}
