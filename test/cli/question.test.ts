import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { openQuestions } from '../../src/cli/confirm.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { endsWith } from '../support/ends-with.ts';

it('a question has the line that was typed as its answer, and so has the next one', async () => {
  const input = new PassThrough();
  const questions = openQuestions(input, new PassThrough());
  for (const answer of ['alice', '']) {
    const asked = questions.ask('Name: ');
    input.write(`${answer}\r`);
    expect(await asked).toBe(answer);
  }
  questions.close();
});

it.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%s at a question interrupts the command', async (_name, key) => {
  const input = new PassThrough();
  const asked = openQuestions(input, new PassThrough()).ask('Pay? ');
  input.write(key);
  await expect(asked).rejects.toMatchObject({ kind: endsWith(EXIT.interrupted), code: 'not-answered' });
});
