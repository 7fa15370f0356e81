import { describe, expect, it } from 'vitest';
import { type AuditEntry, leafText, serializedEntry } from '../../../src/store/audit/entry.ts';

const ENTRY: AuditEntry = { at: 5, actor: 'alice', action: 'switch off', subject: 'currency EUR', detail: {} };

describe('An entry', () => {
  it('is canonical JSON: members in order, no blank, detail too', () => {
    const detail = { reason: 'fraud "suspected"\n', incident: 'I-1' };
    expect(leafText(serializedEntry({ ...ENTRY, detail }, 7))).toBe(
      '{"action":"switch off","actor":"alice","at":5,"detail":{"incident":"I-1","reason":"fraud \\"suspected\\"\\n"},' +
        '"seq":7,"subject":"currency EUR"}',
    );
  });

  it.each([
    ['DE89 3704 0044 0532 0130 00', '***3000'],
    ['DE89370400440532013000', '***3000'],
    ['123456789', '***6789'],
    ['12 345 678 901', '***8901'],
  ])('shows of the number %s in the words of people its end alone', (number, shown) => {
    const detail = { reason: `letter about ${number} of the bank` };
    expect(serializedEntry({ ...ENTRY, detail }, 0).detail).toBe(`{"reason":"letter about ${shown} of the bank"}`);
    expect(serializedEntry({ ...ENTRY, actor: `x ${number}` }, 0).actor).toBe(`x ${shown}`);
  });

  it('leaves times, amounts and ids of ours as they are', () => {
    const detail = { reason: 'called 2026-03-31 17:00, 1250.00 EUR, ticket 4711', orderId: '123456789012' };
    expect(JSON.parse(serializedEntry({ ...ENTRY, detail }, 0).detail)).toEqual(detail);
  });

  it('is a line that every store takes', () => {
    const { actor, detail } = serializedEntry(
      { ...ENTRY, actor: 'a\0b\ud800', detail: { reason: 'x'.repeat(2_000) } },
      0,
    );
    expect(actor).toBe('a\ufffdb\ufffd');
    expect(detail.length).toBeLessThan(1_100);
  });
});
