import { describe, expect, it } from 'vitest';
import { CARD_STATES, isCardEnd } from '../../src/domain/card-payment.ts';
import { REASONS } from '../../src/domain/reasons.ts';
import { CONFIG_KEYS } from '../../src/platform/config.ts';
import { cellsOf, code, documentText, tableRows } from './markdown.ts';

const text = documentText('docs/cards.md');
const firstCells = (heading: string): string[] => tableRows(text, heading).map((row) => cellsOf(row)[0] ?? '');

describe('docs/cards.md', () => {
  it('says of every state that is no end what it waits for', () => {
    const waiting = CARD_STATES.filter((state) => state !== 'received' && !isCardEnd(state));
    expect(firstCells('The life of a card payment')).toEqual(waiting.map(code));
  });

  it('has every scheme of webhooks', () => {
    const schemes = firstCells('Webhooks').map((cell) => cell.replaceAll('`', ''));
    expect(schemes.length).toBe(3);
    for (const scheme of schemes) expect(CONFIG_KEYS.PAYOUTS_WEBHOOK_SCHEME.schema.parse(scheme)).toBe(scheme);
    expect(CONFIG_KEYS.PAYOUTS_WEBHOOK_SCHEME.schema.safeParse('none').success).toBe(false);
  });

  it('names reasons and settings that exist', () => {
    const reasons = firstCells('When people must act').flatMap((cell) =>
      [...cell.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, code = '']) => code),
    );
    expect(reasons.filter((reason) => !Object.hasOwn(REASONS, reason))).toEqual([]);
    const known = new Set(Object.keys(CONFIG_KEYS));
    const settings = [...text.matchAll(/\bPAYOUTS_[A-Z_]*[A-Z]\b/g)].map(([name]) => name);
    expect(settings.filter((name) => !known.has(name) && !known.has(name.replace(/_FILE$/, '')))).toEqual([]);
  });
});
