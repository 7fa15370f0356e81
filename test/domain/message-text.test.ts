import { describe, expect, it } from 'vitest';
import { nameProblem, noteProblem, textProblem } from '../../src/domain/text.ts';

describe('a text of a message', () => {
  it.each([
    ['alice', undefined],
    ['Löhne & Söhne, 財務部', undefined],
    ['', '"by" is missing'],
    [' \t', '"by" is missing'],
    [7, '"by" is missing'],
    [null, '"by" is missing'],
    ['al\0ice', '"by" has control characters'],
    ['\u001b[31mbob', '"by" has control characters'],
    ['a'.repeat(200), undefined],
    ['a'.repeat(201), '"by" has more than 200 characters'],
  ])('as a name: %j, %s', (name, problem) => {
    expect(nameProblem(name)).toBe(problem);
  });

  it('may have several lines and be as long as an explanation', () => {
    expect(textProblem('evidence', 'statement 12,\r\n\tpage 3')).toBeUndefined();
    expect(textProblem('evidence', 'x'.repeat(2_001))).toBe('"evidence" has more than 2000 characters');
  });

  it.each([undefined, null, '', 'checked'])('may be left out where it is a note: %j', (note) => {
    expect(noteProblem('note', note)).toBeUndefined();
  });

  it('is sound where it is given', () => {
    expect(noteProblem('note', 'a\u0007')).toBe('"note" has control characters');
  });
});
