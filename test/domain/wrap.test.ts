import { describe, expect, it } from 'vitest';
import { fitted, wrap } from '../../src/domain/display.ts';

describe('a text that is too long for the terminal', () => {
  it('goes on below at a blank, as far to the right as it began', () => {
    expect(fitted('short\n  one two three four', 12)).toBe('short\n  one two\n  three four');
  });

  it('keeps a line that fits as it is, with every blank', () => {
    expect(fitted('  EUR      1.00  in 2 payouts', 60)).toBe('  EUR      1.00  in 2 payouts');
  });

  it('keeps a command in one line, so that it can be pasted', () => {
    const text = 'Try `payouts resolve ID --action resend`; it asks the bank.';
    expect(wrap(text, 30)).toEqual(['Try', '`payouts resolve ID --action resend`;', 'it asks the bank.']);
  });

  it('counts what a terminal shows: no colours, and two columns for a wide letter', () => {
    expect(wrap('\u001b[33mheld\u001b[39m: waiting for', 17)).toEqual(['\u001b[33mheld\u001b[39m: waiting for']);
    expect(wrap('山田 太郎', 8)).toEqual(['山田', '太郎']);
  });

  it('breaks at blanks behind a backtick that has no other', () => {
    expect(wrap('a value ` with one backtick', 16)).toEqual(['a value ` with', 'one backtick']);
  });
});
