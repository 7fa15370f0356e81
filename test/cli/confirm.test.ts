import { describe, expect, it } from 'vitest';
import { answerOrRefuse, confirm } from '../../src/cli/confirm.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { Problem } from '../../src/domain/problem.ts';
import { endsWith } from '../support/ends-with.ts';

it('what a command needs is asked on a terminal; without one it is said which option to add', async () => {
  const refused = await answerOrRefuse('Why?', '--reason').catch((error: unknown) => error);
  expect(refused).toMatchObject({ kind: endsWith(EXIT.usage), code: 'reason-missing' });
  expect((refused as Problem).hint).toContain('--reason');
});

describe('the question before money moves', () => {
  it('is not asked with --yes', async () => {
    await expect(confirm('Pay?', true)).resolves.toBeUndefined();
  });

  it('cannot be asked without a terminal: a usage error that names --yes', async () => {
    const refused = await confirm('Pay?', false).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({ kind: endsWith(EXIT.usage), code: 'confirmation-needed' });
    expect((refused as Problem).hint).toContain('--yes');
  });
});
