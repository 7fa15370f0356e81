import { describe, expect, it } from 'vitest';
import { dueDate } from '../../../src/domain/time.ts';
import { warningsOf } from '../../../src/files/rules/warnings.ts';

const GOOD = { id: 'INV-1', uid: 'u-1', account_id: 'acc-1', amount: '1.00', currency: 'EUR' };
const TODAY = { today: '2026-11-23', dueDate: (executeOn: string) => executeOn };
const CALENDAR = { weekend: ['SAT', 'SUN'], holidays: { '*': ['2026-12-25'] } } as const;
const BY_CALENDAR = {
  ...TODAY,
  dueDate: (executeOn: string, currency: string) => dueDate(executeOn, currency, CALENDAR),
};

describe('a row is warned of', () => {
  it.each<[Record<string, string>, string]>([
    [{ iban_no: 'DE00SAMPLE0000000001' }, 'iban-check-digits'],
    [{ iban_no: 'GB82WEST12345698765433' }, 'iban-check-digits'],
    [{ aba_routing_code: '021000022' }, 'routing-check-digit'],
    [{ aba_routing_code: '21000021' }, 'lost-leading-zeros'],
    [{ bsb: '62-000' }, 'lost-leading-zeros'],
    [{ account_no: '1.23457E+11' }, 'scientific-notation'],
    [{ id: '4,1E+15' }, 'scientific-notation'],
    [{ id: '="00123"' }, 'spreadsheet-text'],
    [{ id: "'00123" }, 'spreadsheet-text'],
    [{ id: 'cafe\u0301-1' }, 'another-spelling'],
    [{ uid: 'cafe\u0301' }, 'another-spelling'],
    [{ id: 'INV\ufe0f1' }, 'another-spelling'],
    [{ id: 'INV\u00a01' }, 'another-spelling'],
    [{ account_name: '=A1' }, 'spreadsheet-text'],
    [{ account_name: 'MÃ¼ller' }, 'garbled-letters'],
    [{ address_city: 'ZÃ¼rich' }, 'garbled-letters'],
    [{ account_name: 'Åukasz WiÅ›niewski' }, 'garbled-letters'],
    [{ note: 'Invoice â€œ7â€\u009d' }, 'garbled-letters'],
    [{ note: 'M\ufffdller' }, 'garbled-letters'],
    [{ execute_on: '2026-11-22' }, 'date-in-the-past'],
    [{ execute_on: '2027-11-24' }, 'date-far-ahead'],
    [{ execute_on: '2062-11-26' }, 'date-far-ahead'],
    [{ execute_on: '2026-11-28' }, 'closed-day'],
    [{ expires_at: '2026-11-22T23:59:59Z' }, 'expires-before-sent'],
    [{ expires_at: '2026-11-23T01:00:00+02:00' }, 'expires-before-sent'],
    [{ expires_at: '2026-11-24T17:00:00Z', execute_on: '2026-11-25' }, 'expires-before-sent'],
  ])('%o: %s', (change, rule) => {
    const [column] = Object.keys(change);
    expect(warningsOf({ ...GOOD, ...change }, TODAY)).toMatchObject([{ column, rule }]);
  });

  it.each<[string, string]>([
    ['2026-11-28', '2026-11-30'],
    ['2026-12-25', '2026-12-28'],
  ])('that the calendar moves from %s to %s', (executeOn, due) => {
    const [warning] = warningsOf({ ...GOOD, execute_on: executeOn }, BY_CALENDAR);
    expect(warning).toMatchObject({ rule: 'closed-day', message: expect.stringContaining(due) });
  });
});

it.each<Record<string, string>>([
  { iban_no: 'GB82 WEST 1234 5698 7654 32' },
  { iban_no: '12345678' },
  { execute_on: '2027-11-23' },
  { aba_routing_code: '021000021' },
  { bsb: '062-000' },
  { note: '' },
  { note: '=1 of 2' },
  { account_name: "'t Hart" },
  { account_name: 'Müller, JOÃO ÂNGELO, Ærø, Łódź, Großmann’s' },
  { execute_on: '2026-11-23' },
  { execute_on: '2026-11-24' },
  { expires_at: '2026-11-23T17:00:00Z' },
])('%o is nothing to warn of', (change) => {
  expect(warningsOf({ ...GOOD, ...change }, TODAY)).toEqual([]);
  expect(warningsOf({ ...GOOD, ...change }, BY_CALENDAR)).toEqual([]);
});
