import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODE_RULES, type KnownOutcome } from '../../src/bank/errors.ts';
import { ENVELOPE_CODES, type EnvelopeCode } from '../../src/bank/schemas/envelope.ts';
import type { BankCondition } from '../../src/domain/bank-condition.ts';
import { FAILURES } from '../../src/domain/failures.ts';
import { REASONS } from '../../src/domain/reasons.ts';
import { refusalMeaning } from '../../src/domain/submission.ts';
import { cellsOf, code, documentText, ROOT, rowOf, tableRows } from './markdown.ts';

const text = documentText('docs/errors.md');

/** What a payout does when its submit got the code and no earlier attempt is in doubt. */
function whatFollows(condition: BankCondition, outcome: KnownOutcome): string {
  if (outcome !== 'refused') return 'searches for the order';
  const meaning = refusalMeaning(condition);
  switch (meaning.kind) {
    case 'fail':
      return `ends ${code('failed')}, reason ${code(meaning.reason)}`;
    case 'hold':
      return `waits in ${code('held')}, reason ${code(meaning.reason)}`;
    case 'await-funds':
      return `waits in ${code('awaiting-funds')}`;
  }
}

describe('docs/errors.md', () => {
  it('has the table of envelope codes as the code has it', () => {
    const expected = Object.entries(CODE_RULES).map(([number, { condition, onSubmit, retryRead }]) =>
      rowOf(
        number,
        ENVELOPE_CODES[Number(number) as EnvelopeCode],
        code(condition),
        onSubmit,
        retryRead ? 'yes' : 'no',
        whatFollows(condition, onSubmit),
      ),
    );
    expect(tableRows(text, 'Envelope codes')).toEqual(expected);
  });

  it('names every failure type and no other', () => {
    const named = tableRows(text, 'Failure types').map((row) => cellsOf(row)[0]);
    expect(named).toEqual(Object.values(FAILURES).map(code));
  });

  it('has every reason code with the sentence people read', () => {
    const expected = Object.entries(REASONS).map(([name, { says }]) => rowOf(code(name), says));
    expect(tableRows(text, 'Reason codes')).toEqual(expected);
  });

  it('says which reason codes nothing sets yet', () => {
    const sources = globSync('src/**/*.ts', { cwd: ROOT })
      .filter((file) => !file.startsWith(join('src', 'domain', 'reasons')))
      .map((file) => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
    const unused = Object.keys(REASONS).filter((name) => !sources.includes(`'${name}'`));
    const said = /^Not set by any code yet: (.*)\.$/m.exec(text)?.[1] ?? '';
    expect(said).toBe(unused.map(code).join(', '));
  });
});
