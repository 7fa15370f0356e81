import { expect, it } from 'vitest';
import { shownFunds } from '../../src/domain/gates.ts';
import { because, type ReasonCode } from '../../src/domain/reasons.ts';
import { capsText, questionText } from '../../src/reports/question-facts.ts';
import { record } from './records.ts';

it('the highest costs that a signature covers are said in words', () => {
  expect(capsText({ maxSlippage: '0.01', count: 60 })).toBe(
    '60 payouts: any fee, and an exchange for at most 1 % more than quoted',
  );
  expect(capsText({ feeCap: '1250.00', maxSlippage: '0.0725', count: 2 })).toBe(
    '2 payouts: a fee of at most 1,250.00 each, and an exchange for at most 7.25 % more than quoted',
  );
});

it('a question that an approval does not answer says so', () => {
  const held = (code: ReasonCode) =>
    questionText({
      row: record(1, 'held', {}, code),
      asked: { question: 'hold', digest: 'd', needed: 1 },
      hold: { reason: because(code) },
    });
  expect(held('account-frozen')).toBe('This is held, and an approval only checks again.');
  expect(held('look-alike')).toBe('This is held. Should it be paid anyway?');
});

it('amounts within a reason are grouped as all others', () => {
  expect(shownFunds({ accountId: 'a', available: '998749.44', needs: '9873493.10', enough: false })).toBe(
    'the account holds 998,749.44, and 9,873,493.10 are needed',
  );
});
