import { expect, it } from 'vitest';
import { listsOf, listsOfPlan } from '../../src/domain/sent-order.ts';

const OWN = { uid: 'u-1', currency: 'USD' };
const SOLD = { uid: 'u-1', currency: 'EUR' };
const ARRIVAL = { uid: 'u-2', currency: 'USD' };

it.each([
  ['a payment', {}, [OWN]],
  ['an exchange', { sellCurrency: 'EUR' }, [OWN, SOLD]],
  ['an exchange within a currency', { sellCurrency: 'USD' }, [OWN]],
  ['a transfer to another user', { destinationUid: 'u-2' }, [OWN, ARRIVAL]],
  ['a transfer of one user', { destinationUid: 'u-1' }, [OWN]],
])('%s may be shown in the lists of every account that it moves', (_, order, lists) => {
  expect(listsOf('u-1', { currency: 'USD', ...order })).toEqual(lists);
});

it('an order that is only planned may be shown in the same lists', () => {
  const exchange = { sellCurrency: 'EUR' } as never;
  const transfer = { destination: { uid: 'u-2', currency: 'USD' } } as never;
  expect(listsOfPlan(OWN, null)).toEqual([OWN]);
  expect(listsOfPlan(OWN, {})).toEqual([OWN]);
  expect(listsOfPlan(OWN, { exchange })).toEqual([OWN, SOLD]);
  expect(listsOfPlan(OWN, { transfer })).toEqual([OWN, ARRIVAL]);
});
