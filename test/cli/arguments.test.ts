import { describe, expect, it } from 'vitest';
import { rowNumbers } from '../../src/cli/command.ts';

describe('rows', () => {
  it.each([
    ['3,7-9', [3, 7, 8, 9]],
    [' 2 , 2-3', [2, 3]],
    ['999999-1000001', [999_999, 1_000_000, 1_000_001]],
  ])('%s are numbers and ranges', (text, rows) => {
    expect([...rowNumbers(text)]).toEqual(rows);
  });

  it.each(['9-7', '0', '0-2', '3;4', '-3', ''])('"%s" is none, and what they look like is said', (text) => {
    expect(() => rowNumbers(text)).toThrow('ranges from low to high: 3,7-9');
  });
});
