import { expect, test } from 'vitest';
import { isRoutingNumber } from '../../../src/domain/bank-identifiers.ts';
import { looksLikeAba } from '../../../src/files/aba/read-aba.ts';
import { looksLikeNacha } from '../../../src/files/nacha/read-nacha.ts';
import { abaOf } from '../aba/aba-records.ts';
import { nachaOf } from './nacha-records.ts';

test.each([
  ['an ABA file', abaOf([{}]), true, false],
  ['a NACHA file', nachaOf([{ entries: [{}] }]), false, true],
  ['an ABA file without its header', abaOf([{}]).split('\r\n').slice(1).join('\r\n'), true, false],
  [
    'a batch of a NACHA file',
    nachaOf([{ entries: [{}] }])
      .split('\n')
      .slice(1)
      .join('\n'),
    false,
    true,
  ],
  ['a CSV file', 'id,uid,account_id,amount,currency\n', false, false],
  ['a JSON file', '[{"id":"A"}]', false, false],
  ['numbers', '0000000000\n', false, false],
  ['nothing', '', false, false],
])('%s is recognised by its first bytes', (_, content, aba, nacha) => {
  expect([looksLikeAba(content), looksLikeNacha(content)]).toEqual([aba, nacha]);
});

test('the check digit of a routing number finds any one wrong digit', () => {
  for (const known of ['021000021', '121000248', '000000013']) {
    expect(isRoutingNumber(known)).toBe(true);
    for (let at = 0; at < 9; at += 1) {
      const wrong = `${known.slice(0, at)}${(Number(known[at]) + 1) % 10}${known.slice(at + 1)}`;
      expect([wrong, isRoutingNumber(wrong)]).toEqual([wrong, false]);
    }
  }
  expect(isRoutingNumber('02100002')).toBe(false);
  expect(isRoutingNumber('02100002X')).toBe(false);
});
