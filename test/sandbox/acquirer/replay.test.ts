import { describe, expect, test } from 'vitest';
import { cardCalls, createBodyOf, SETTLE_MS } from './card-calls.ts';

const DAY_MS = 86_400_000;
const id = { merchant_request_id: 'order-1' };

describe('the same merchant_request_id', () => {
  test('gets the first answer byte for byte within 24 hours, with any body', async () => {
    const it = await cardCalls();
    const first = await (await it.post('payment', createBodyOf('success', id))).text();
    it.sandbox.clock.advance(DAY_MS - 1);
    const same = await it.post('payment', createBodyOf('decline', { ...id, amount: '9.00' }));
    expect(await same.text()).toBe(first);
    expect(await (await it.post('payment', id)).text()).toBe(first);
    const { payments } = await it.proxy('GET', '/card-payments');
    expect(payments).toMatchObject([{ status: 'SUCCEEDED', amount: '25.00' }]);
  });

  test('makes a second payment after 24 hours, and its answer is the first one from then on', async () => {
    const it = await cardCalls();
    const first = await it.create('success', id);
    it.sandbox.clock.advance(DAY_MS);
    const second = await it.create('success', id);
    expect(second.payment_id).not.toBe(first.payment_id);
    expect(await it.create('success', id)).toEqual(second);
    expect((await it.proxy('GET', '/card-payments')).payments).toHaveLength(2);
  });

  test('is judged again after a refusal', async () => {
    const it = await cardCalls();
    expect(await it.create('success', { ...id, amount: '0.00' })).toMatchObject({ code: 2002 });
    expect(await it.create('success', id)).toMatchObject({ payment_status: 'PROCESSING' });
  });

  test('replays across a resume: the first answer to the resume stays', async () => {
    const it = await cardCalls();
    const { payment, referenceId } = await it.challenged();
    const early = await it.resume(payment, referenceId, { merchant_request_id: 'resume-x' });
    expect(early).toEqual(payment);
    await it.answerChallenge(payment, 'confirm');
    expect(await it.resume(payment, referenceId, { merchant_request_id: 'resume-x' })).toEqual(payment);
    expect(await it.resume(payment, referenceId)).toMatchObject({ payment_status: 'PROCESSING' });
  });

  test('is refused with another body under refuse-changed, and with the same body replayed', async () => {
    const it = await cardCalls({ profile: { cardReplay: 'refuse-changed' } });
    const body = createBodyOf('success', id);
    const first = await (await it.post('payment', body)).json();
    it.sandbox.clock.advance(SETTLE_MS);
    expect(await (await it.post('payment', body)).json()).toEqual(first);
    expect(await it.create('success', { ...id, amount: '26.00' })).toMatchObject({ code: 2003 });
    expect((await it.proxy('GET', '/card-payments')).payments).toHaveLength(1);
  });
});
