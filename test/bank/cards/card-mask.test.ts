import fc from 'fast-check';
import { expect, test } from 'vitest';
import { masked } from '../../../src/bank/cards/card-mask.ts';
import { growth } from '../../support/growth.ts';

const M = '[masked]';

test.each<[unknown, unknown]>([
  ['4111111111111111', M],
  [4111111111111111, M],
  ['378282246310005', M],
  ['4111-1111-1111-1111', M],
  ['4111.1111.1111.1111', M],
  ['4111\u00a01111\u20111111\t1111', M],
  ['4111111111111111 12/31 837', `${M} 12/31 837`],
  ['pan=4111111111111111&x=1', `pan=${M}&x=1`],
  ['1 4111111111111111', `1 ${M}`],
  ['4111111111111112', '4111111111111112'],
  ['41111111111111111111', '41111111111111111111'],
  // Digits that are side by side in an id by chance.
  ['pay-e9266951-4427-4090-8375-3dabf60fdd54', 'pay-e9266951-4427-4090-8375-3dabf60fdd54'],
  [
    '4111111111111111 for pay-e9266951-4427-4090-8375-3dabf60fdd54',
    `${M} for pay-e9266951-4427-4090-8375-3dabf60fdd54`,
  ],
  [4990, 4990],
  [{ created_at: 1795276103821 }, { created_at: 1795276103821 }],
  ['1795276103821', M],
  [null, null],
  [true, true],
  [{ '4111111111111111': 1 }, { [M]: 1 }],
  [
    { cvv: '123', CVC2: 123, cardPan: 'x', card_number: { a: 1 }, securityCode: '1' },
    { cvv: M, CVC2: M, cardPan: M, card_number: M, securityCode: M },
  ],
  [
    { company: 'Pan & Co', span: 3, id: 'a' },
    { company: 'Pan & Co', span: 3, id: 'a' },
  ],
  [[{ memo: ['4111111111111111'] }], [{ memo: [M] }]],
])('%j is shown as %j', (value, shown) => {
  expect(masked(value)).toEqual(shown);
});

test('no card number is left, in any text around it and however it is grouped', () => {
  const around = fc.array(fc.stringMatching(/^\d{1,6}$/), { maxLength: 4 });
  const separator = fc.constantFrom(' ', '-', '.', '\n');
  fc.assert(
    fc.property(around, around, separator, fc.constantFrom(1, 4, 6, 16), (before, after, between, size) => {
      const groups = '4111111111111111'.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      const shown = masked([...before, ...groups, ...after].join(between)) as string;
      expect(shown.replace(/[^\d[]/g, '')).not.toContain('4111111111111111');
    }),
  );
});

test('a long text of digits is searched in work that grows with it', () => {
  // Eight times for eight times the text; a search of every run from every place would take sixty-four.
  expect(growth((groups) => masked('1 '.repeat(groups)), 100, 800)).toBeLessThan(24);
});
