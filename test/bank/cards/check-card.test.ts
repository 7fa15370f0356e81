import { describe, expect, it } from 'vitest';
import type { CardDetails } from '../../../src/bank/cards/acquirer.ts';
import { checkCard } from '../../../src/bank/cards/vault.ts';
import { PAN } from './cards.ts';

const JUNE_2026 = Date.UTC(2026, 5, 15);
const GOOD: CardDetails = { number: PAN, expiry_month: '03', expiry_year: '2039', cvv: '737', holder_name: 'O. Q.' };

const check = (more: Partial<CardDetails>, now = JUNE_2026) => checkCard({ ...GOOD, ...more }, now);

describe('a card', () => {
  it('is read as people write it', () => {
    const card = { number: PAN, expiry_month: '03', expiry_year: '2039', cvv: '737', holder_name: 'O. Q.' };
    expect(check({ number: '4012 8888-8888 1881', expiry_month: '3', expiry_year: '39' })).toEqual({ ok: true, card });
    expect(check({ cvv: undefined, holder_name: undefined }).ok).toBe(true);
    expect(check({ number: '378282246310005', cvv: '1234' }).ok).toBe(true);
  });

  it.each([
    ['a digit that is wrong', { number: '4012888888881882' }, 'number', 'card-number-invalid'],
    ['too few digits', { number: '40128888' }, 'number', 'card-number-invalid'],
    ['a letter', { number: '40128888888818B1' }, 'number', 'card-number-invalid'],
    ['a month that is none', { expiry_month: '13' }, 'expiry_month', 'expiry-invalid'],
    ['no month', { expiry_month: '' }, 'expiry_month', 'expiry-invalid'],
    ['a year that is none', { expiry_year: '203' }, 'expiry_year', 'expiry-invalid'],
    ['an expiry in the past', { expiry_year: '26', expiry_month: '05' }, 'expiry_year', 'card-expired'],
    ['a CVV of two digits', { cvv: '73' }, 'cvv', 'cvv-invalid'],
    ['an empty CVV', { cvv: '' }, 'cvv', 'cvv-invalid'],
    ['a name with a control character', { holder_name: 'O\nQ' }, 'holder_name', 'holder-name-invalid'],
  ] as const)('with %s is refused without its value', (_what, more, column, rule) => {
    const checked = check(more);
    expect(checked).toEqual({ ok: false, findings: [{ column, rule, message: expect.any(String) }] });
    expect(JSON.stringify(checked)).not.toContain(String(Object.values(more)[0] || 'nothing'));
  });

  it('is good until its month is over in the last place', () => {
    const last = { expiry_month: '06', expiry_year: '26' };
    expect(check(last, Date.UTC(2026, 6, 1, 11)).ok).toBe(true);
    expect(check(last, Date.UTC(2026, 6, 1, 13)).ok).toBe(false);
  });

  it('has all its findings at once', () => {
    const checked = check({ number: '1', expiry_month: '0', cvv: 'x' });
    expect(checked.ok ? [] : checked.findings.map(({ column }) => column)).toEqual(['number', 'expiry_month', 'cvv']);
  });
});
