import { describe, expect, it } from 'vitest';
import { calendar } from '../../src/cli/calendar.ts';
import type { Session } from '../../src/cli/session.ts';
import { type BusinessCalendar, KNOWN_BY_RULE } from '../../src/domain/business-days.ts';

const EUR_LATE = { currency: 'EUR', at: '15:30', zone: 'Europe/Berlin' };

/** What the command prints, and its document. */
function shown(
  set: BusinessCalendar | undefined,
  currency?: string,
  year?: number,
): { document: object; text: string } {
  const printed: { document: object; text: string }[] = [];
  const output = { result: (document: object, text: string) => void printed.push({ document, text }) };
  const session = { config: { settings: { calendar: set } }, output } as unknown as Session;
  calendar(session, currency, { year });
  return printed[0] ?? { document: {}, text: '' };
}

describe('payouts calendar', () => {
  it('names the closed weekdays of a currency, and by what they are closed', () => {
    const { document, text } = shown(
      { ...KNOWN_BY_RULE, holidays: { '*': ['2027-12-24'] }, cutOffs: [EUR_LATE] },
      'EUR',
      2027,
    );
    expect(document).toMatchObject({ system: 'TARGET', isSet: true, cutOffs: [EUR_LATE] });
    expect(text).toContain('2027-03-26  Friday');
    expect(text).toMatch(/2027-12-24 {2}Friday +PAYOUTS_HOLIDAYS/);
    expect(text).toContain('cut-off 15:30 Europe/Berlin');
    expect(text).not.toContain('No calendar is set');
  });

  it('does not name a day that the calendar opens', () => {
    const { text } = shown({ ...KNOWN_BY_RULE, open: { EUR: ['2027-03-26'] } }, 'EUR', 2027);
    expect(text).not.toContain('2027-03-26');
  });

  it('says that nothing is set, and what is known by rule', () => {
    const { text, document } = shown(undefined);
    expect(text).toContain('TARGET');
    expect(text).toContain('No calendar is set');
    expect(document).toMatchObject({ isSet: false });
  });

  it('refuses what is no currency', () => {
    expect(() => shown(undefined, 'euro')).toThrow('no currency code');
  });
});
