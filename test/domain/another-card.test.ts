import { describe, expect, it } from 'vitest';
import { asksForAnotherCard } from '../../src/domain/another-card.ts';
import { because, type ReasonCode } from '../../src/domain/reasons.ts';

const DECLINED = { end: 'failed', reason: because('card-declined'), tried: 1, uncertain: false } as const;

describe('asksForAnotherCard', () => {
  it('follows a decline and a refusal, while a card is left', () => {
    expect(asksForAnotherCard(DECLINED, { cards: 3 })?.code).toBe('another-card-needed');
    expect(asksForAnotherCard({ ...DECLINED, tried: 2 }, { cards: 3 })?.code).toBe('another-card-needed');
    const refused = { ...DECLINED, reason: because('refused-by-acquirer', 'code 2002'), why: 'code 2002' };
    expect(asksForAnotherCard(refused, { cards: 2 })).toEqual(because('card-refused', 'code 2002'));
  });

  it.each([
    ['the last card', { tried: 3 }],
    ['an answer that was lost', { uncertain: true }],
    ['an end with money', { end: 'succeeded', reason: null }],
    ['a cancel', { end: 'cancelled', reason: because('cancelled-by-request') }],
  ] as const)('does not follow %s', (_what, more) => {
    expect(asksForAnotherCard({ ...DECLINED, ...more }, { cards: 3 })).toBeUndefined();
  });

  it.each<ReasonCode>(['challenge-abandoned', 'closed-by-operator', 'card-not-given', 'set-up-failed', 'never-sent'])(
    'does not follow %s',
    (code) => {
      expect(asksForAnotherCard({ ...DECLINED, reason: because(code) }, { cards: 3 })).toBeUndefined();
    },
  );

  it('does not follow anything where the terms are of a time without further cards', () => {
    expect(asksForAnotherCard(DECLINED, {} as { cards: number })).toBeUndefined();
    expect(asksForAnotherCard(DECLINED, { cards: 1 })).toBeUndefined();
  });
});
