import { expect, test } from 'vitest';
import { ORDER_STATUSES, orderStage } from '../../../src/bank/schemas/order-status.ts';
import { order } from '../../../src/bank/schemas/orders.ts';
import { isTerminal, stageMeaning } from '../../../src/domain/order-status.ts';

const withMeaning = (meaning: string) =>
  ORDER_STATUSES.filter((status) => stageMeaning(orderStage(status)) === meaning);

test('four of the statuses end an order, and CLOSED means what it is said to mean', () => {
  expect(ORDER_STATUSES.filter((status) => isTerminal(stageMeaning(orderStage(status))))).toEqual([
    'COMPLETED',
    'REJECTED',
    'CANCELLED',
    'FAILED',
  ]);
  expect(withMeaning('awaiting-audit')).toEqual(['WAIT_FOR_AUDIT']);
  expect(withMeaning('unclear')).toEqual(['CLOSED']);
  expect(stageMeaning(orderStage('CLOSED'), 'failed')).toBe('failed');
});

test('no rejection can stop an order that is past its audit', () => {
  expect(ORDER_STATUSES.filter((status) => orderStage(status) === 'past-audit')).toEqual([
    'SUBMITTING',
    'SUBMITTED',
    'APPROVED',
    'APPROVING',
  ]);
});

test('a status that the interface does not list keeps its word and means nothing', () => {
  expect(order.parse({ order_id: 'o', status: 'toString' })).toMatchObject({ status: 'toString', stage: 'unknown' });
  expect(stageMeaning('unknown', 'paid')).toBe('unclear');
});
