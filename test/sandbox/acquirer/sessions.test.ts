import { describe, expect, test } from 'vitest';
import { cardCalls, cardOf } from './card-calls.ts';

const MINUTE_MS = 60_000;
/** Same first six digits and last four as the challenge card, and a valid Luhn sum. */
const LOOKALIKE = '4000000300020007';

test('a set-up answers a session and where the fingerprint is collected', async () => {
  const it = await cardCalls();
  const { reference_id, data_collection_info } = await it.setUp('success');
  const page = await fetch(data_collection_info.url);
  expect(page.status).toBe(200);
  expect(new URL(data_collection_info.url).origin).toBe(it.sandbox.url);
  expect(data_collection_info.url.endsWith(data_collection_info.token)).toBe(true);
  const { sessions } = await it.proxy('GET', '/card-payments');
  expect(sessions).toMatchObject([{ reference_id, amount: '25.00', fingerprinted_at: it.sandbox.clock.now() }]);
  expect((await fetch(`${it.sandbox.url}/3ds/fingerprint/unknown`)).status).toBe(404);
});

describe('a session', () => {
  test('is used up by one payment', async () => {
    const it = await cardCalls();
    const { reference_id } = await it.setUp('success');
    const first = await it.create('success', {}, reference_id);
    expect(first.payment_status).toBe('PROCESSING');
    expect(await it.create('success', {}, reference_id)).toMatchObject({
      code: 2002,
      detail: expect.stringMatching(/used/),
    });
    const { payments, sessions } = await it.proxy('GET', '/card-payments');
    expect(payments).toHaveLength(1);
    expect(sessions).toMatchObject([{ payment_id: first.payment_id }]);
  });

  test.each([
    ['another amount', { amount: '25.01' }],
    ['another currency', { currency: 'USD' }],
    ['another card', { card: cardOf('decline') }],
    ['a card with the same shown digits', { card: cardOf('challenge', { number: LOOKALIKE }) }],
  ])('is not good for %s, and is not used up by trying', async (_what, changes) => {
    const it = await cardCalls();
    const { reference_id } = await it.setUp('challenge');
    expect(await it.create('challenge', changes, reference_id)).toMatchObject({ code: 2002 });
    expect((await it.proxy('GET', '/card-payments')).payments).toEqual([]);
    expect(await it.create('challenge', { amount: '25.0' }, reference_id)).toMatchObject({ amount: '25.00' });
  });

  test('lives 15 minutes', async () => {
    const it = await cardCalls();
    const [young, old] = [await it.setUp('success'), await it.setUp('success')];
    it.sandbox.clock.advance(15 * MINUTE_MS - 1);
    expect(await it.create('success', {}, young.reference_id)).toMatchObject({ payment_status: 'PROCESSING' });
    it.sandbox.clock.advance(1);
    expect(await it.create('success', {}, old.reference_id)).toMatchObject({ code: 2002 });
  });

  test('is not taken from nowhere', async () => {
    const it = await cardCalls();
    expect(await it.create('success', {}, '3ds-0')).toMatchObject({ code: 2002 });
  });
});
