import { describe, expect, test } from 'vitest';
import { cardCalls, RETURN_URL, SETTLE_MS } from './card-calls.ts';

describe('the verify page', () => {
  test('shows merchant, amount and card, and needs no script', async () => {
    const it = await cardCalls();
    const { payment } = await it.challenged();
    expect(payment).toMatchObject({ payment_status: 'REQUIRES_ACTION', next_action: { type: '3DS' } });
    expect(payment.next_action.verify_url.startsWith(`${it.sandbox.url}/3ds/verify/`)).toBe(true);
    const page = await fetch(payment.next_action.verify_url);
    const text = await page.text();
    expect(page.status).toBe(200);
    for (const part of ['shop.example', '25.00 EUR', 'ending in 0007', 'Confirm payment', 'Cancel']) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' https://shop.example`);
  });

  test('sends the browser back to the return_url with the payment in its query', async () => {
    const it = await cardCalls();
    const { payment } = await it.challenged();
    const answer = await it.answerChallenge(payment, 'confirm');
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${RETURN_URL}&payment_id=${payment.payment_id}`);
  });

  test('takes the first answer alone', async () => {
    const it = await cardCalls();
    const { payment, referenceId } = await it.challenged();
    await it.answerChallenge(payment, 'cancel');
    expect((await it.answerChallenge(payment, 'confirm')).status).toBe(303);
    expect(await (await fetch(payment.next_action.verify_url)).text()).toContain('already been confirmed');
    expect(await it.resume(payment, referenceId)).toMatchObject({ payment_status: 'FAILED' });
  });

  test('does not know other tokens, and no answers but two', async () => {
    const it = await cardCalls();
    const { payment } = await it.challenged();
    expect((await fetch(`${it.sandbox.url}/3ds/verify/unknown`)).status).toBe(404);
    expect((await it.answerChallenge(payment, 'perhaps')).status).toBe(400);
    expect((await it.proxy('GET', '/card-payments')).payments).toMatchObject([{ challenge: 'open' }]);
  });
});

describe('a resume', () => {
  test.each([
    ['challenge', 'confirm', 'PROCESSING', 'SUCCEEDED'],
    ['challenge', 'cancel', 'FAILED', 'FAILED'],
    ['challenge-fails', 'confirm', 'FAILED', 'FAILED'],
    ['challenge-unannounced', 'confirm', 'PROCESSING', 'SUCCEEDED'],
  ] as const)('of %s after %s is %s, then %s', async (scenario, outcome, resumed, end) => {
    const it = await cardCalls();
    const { payment, referenceId } = await it.challenged(scenario);
    await it.answerChallenge(payment, outcome);
    expect((await it.retrieve(payment.payment_id)).payment_status).toBe('REQUIRES_ACTION');
    const answer = await it.resume(payment, referenceId);
    expect(answer).toMatchObject({ payment_id: payment.payment_id, payment_status: resumed });
    expect(answer).not.toHaveProperty('next_action');
    it.sandbox.clock.advance(SETTLE_MS);
    expect((await it.retrieve(payment.payment_id)).payment_status).toBe(end);
    expect((await it.resume(payment, referenceId)).payment_status).toBe(end);
    expect((await it.proxy('GET', '/card-payments')).payments).toHaveLength(1);
  });

  test('before the challenge changes nothing', async () => {
    const it = await cardCalls();
    const { payment, referenceId } = await it.challenged();
    expect(await it.resume(payment, referenceId)).toEqual(payment);
  });

  test('is refused with the session of another payment, another amount, or for no payment', async () => {
    const it = await cardCalls();
    const { payment, referenceId } = await it.challenged();
    const other = await it.challenged();
    await it.answerChallenge(payment, 'confirm');
    expect(await it.resume(payment, other.referenceId)).toMatchObject({ code: 2002 });
    const otherInside = { three_ds_info: { reference_id: other.referenceId } };
    expect(await it.resume(payment, referenceId, otherInside)).toMatchObject({ code: 2002 });
    expect(await it.resume(payment, referenceId, { amount: '26.00' })).toMatchObject({ code: 2002 });
    expect(await it.resume({ payment_id: 'pay-0' }, referenceId)).toMatchObject({ code: 2005 });
    expect((await it.retrieve(payment.payment_id)).payment_status).toBe('REQUIRES_ACTION');
  });

  test('a challenge without a return_url is refused', async () => {
    const it = await cardCalls();
    const { reference_id } = await it.setUp('challenge');
    expect(await it.create('challenge', { return_url: undefined }, reference_id)).toMatchObject({ code: 2002 });
  });
});
