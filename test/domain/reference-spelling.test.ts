import { describe, expect, it } from 'vitest';
import { narrowed, shownInstead, spelled, spellingsOf, spellingText } from '../../src/domain/reference-form.ts';

const SENT = '0f8b6c1e-3d52-5c0b-9a77-2f6e0c1d5b94';
const OTHER = 'ab3d90c7-11f0-5e2a-8c64-9d0f7b1e2a33';
const BARE = SENT.replaceAll('-', '');

describe('the spelling of a reference', () => {
  it.each([
    [SENT.toUpperCase(), 'in capitals'],
    [BARE, 'without hyphens'],
    [BARE.toUpperCase(), 'in capitals, without hyphens'],
    [SENT.slice(0, 20), 'cut to 20 characters'],
    [SENT.slice(0, 16), 'cut to 16 characters'],
    [BARE.toUpperCase().slice(0, 18), 'in capitals, without hyphens, cut to 18 characters'],
  ])('shown as %s is recognised, and is that of every other reference', (shown, text) => {
    const spellings = spellingsOf(SENT, shown);
    expect(spellingText(spellings)).toBe(text);
    expect(shownInstead(SENT, spellings)).toBe(shown);
    const [only] = spellings;
    expect(only && spellingsOf(OTHER, spelled(OTHER, only))).toEqual(spellings);
  });

  it('is none if the reference comes back as sent', () => {
    const spellings = spellingsOf(SENT, SENT);
    expect(spellings).toHaveLength(1);
    expect([spellingText(spellings), shownInstead(OTHER, spellings)]).toEqual([undefined, undefined]);
  });

  it.each([SENT.slice(0, 15), SENT.slice(1), `{${SENT}}`, `${SENT}-1`, '', OTHER, SENT.replace('f', 'F')])(
    'is not learned from %j',
    (shown) => {
      expect(spellingsOf(SENT, shown)).toEqual([]);
      expect(shownInstead(SENT, spellingsOf(SENT, shown))).toBeUndefined();
    },
  );

  it('is open in what an order without letters leaves open, until another one shows it', () => {
    const digits = '12345678-1234-5234-9a77-2f6e0c1d5b94';
    const both = spellingsOf(digits, digits.slice(0, 18));
    expect(both).toHaveLength(2);
    expect(shownInstead(digits, both)).toBe(digits.slice(0, 18));
    expect(shownInstead(SENT, both)).toBeUndefined();
    const known = narrowed(both, spellingsOf(OTHER, OTHER.slice(0, 18).toUpperCase()));
    expect(shownInstead(SENT, known)).toBe(SENT.slice(0, 18).toUpperCase());
  });

  it('is none any more once another order contradicts it', () => {
    const capital = spellingsOf(SENT, SENT.toUpperCase());
    for (const shown of [OTHER, OTHER.replaceAll('-', ''), OTHER.toUpperCase().slice(0, 20), `{${OTHER}}`]) {
      const left = narrowed(capital, spellingsOf(OTHER, shown));
      expect(left).toEqual([]);
      expect(narrowed(left, capital)).toEqual([]);
    }
    expect(narrowed(capital, spellingsOf(OTHER, OTHER.toUpperCase()))).toEqual(capital);
  });
});
