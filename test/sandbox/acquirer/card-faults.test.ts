import { describe, expect, test } from 'vitest';
import { cardCalls, createBodyOf } from './card-calls.ts';

const operation = 'cards.create';
const id = { merchant_request_id: 'order-1' };

describe('faults of the card side', () => {
  test.each([
    ['drop-before', 0],
    ['drop-after', 1],
  ])('%s closes the socket and leaves %i payments; the repeat finds the first answer', async (kind, made) => {
    const it = await cardCalls();
    await it.proxy('POST', '/faults', { operation, kind, match: { reference: 'order-1' } });
    expect(await it.create('success')).toMatchObject({ payment_status: 'PROCESSING' });
    await expect(it.create('success', id)).rejects.toThrow();
    const before = (await it.proxy('GET', '/card-payments')).payments;
    expect(before).toHaveLength(1 + made);
    const again = await it.create('success', id);
    if (made === 1) expect(again.payment_id).toBe(before[1].payment_id);
    expect((await it.proxy('GET', '/card-payments')).payments).toHaveLength(2);
  });

  test.each([
    ['cards.setUp', '3ds/setup'],
    ['cards.create', 'payment'],
  ])('%s can be refused with a code', async (name, path) => {
    const it = await cardCalls();
    await it.proxy('POST', '/faults', { operation: name, kind: 'code', code: 2011, commit: true, httpStatus: 503 });
    const response = await it.post(path, createBodyOf('success'));
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ code: 2011, msg: 'In Progress' });
  });

  test('a retrieve can fail', async () => {
    const it = await cardCalls();
    const { payment_id } = await it.create('success');
    await it.proxy('POST', '/faults', { operation: 'cards.retrieve', kind: 'code', code: 2001, commit: false });
    expect(await it.retrieve(payment_id)).toMatchObject({ code: 2001 });
  });

  test('an answer without an envelope is spoilt all the same', async () => {
    const it = await cardCalls();
    await it.proxy('POST', '/faults', { operation, kind: 'garbage-after', form: 'text-code' });
    expect(await it.create('success')).toMatchObject({ payment_id: null, payment_status: 'PROCESSING' });
  });

  test('a plan hits the same payments in every run, distinguished by their ids', async () => {
    const outcomes = async () => {
      const it = await cardCalls();
      await it.proxy('PUT', '/fault-plan', { seed: 5, rate: 0.5, operations: [operation], kinds: ['http-before'] });
      const statuses: number[] = [];
      for (let n = 0; n < 12; n += 1) {
        const body = createBodyOf('success', { merchant_request_id: `order-${n}` });
        statuses.push((await it.post('payment', body)).status);
      }
      return statuses;
    };
    const first = await outcomes();
    expect(new Set(first.map((status) => status === 200)).size).toBe(2);
    expect(await outcomes()).toEqual(first);
  });
});
