import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRequestId } from '../../src/domain/identity.ts';
import { cardWorkflowId } from '../../src/domain/names.ts';
import {
  type CardPaymentHandle,
  type CardProduct,
  cardOf,
  resetBefore,
  startCardProduct,
} from '../support/card-product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until } from '../support/until.ts';

/** A card that has taken nothing is followed by another one, and by none where that is not certain. */

const statuses = async (product: CardProduct, id: string): Promise<string[]> =>
  (await product.paymentsOf(id)).map(({ status }) => status).sort();

const askedAgain = (id: string, more: object = {}) => ({
  merchant_request_id: id,
  amount: '49.90',
  currency: 'EUR',
  return_url: 'http://127.0.0.1/back',
  ...more,
});

describe.concurrent('after a decline', () => {
  let product: CardProduct;
  beforeAll(async () => {
    product = await startCardProduct({ PAYOUTS_CARD_TRIES: '3' });
  });
  afterAll(() => product[Symbol.asyncDispose]());

  async function declined(id: string, card: 'decline' | 'fail-later' | 'challenge-fails' = 'decline') {
    const handle = await product.ask({ id, card });
    if (card === 'challenge-fails') await product.answerChallenge(id, 'confirm');
    const view = await product.untilState(id, 'awaiting-card', 'failed');
    expect(view).toMatchObject({ state: 'awaiting-card', reason: { code: 'another-card-needed' }, cards_left: 2 });
    return handle;
  }

  it('another card pays, under an id of its own', async () => {
    const id = 'another-card';
    const handle = await declined(id);
    expect(await product.giveCard(id, 'success')).toMatchObject({ status: 200 });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect(await statuses(product, id)).toEqual(['FAILED', 'SUCCEEDED']);
    const sent = [id, cardRequestId(id, 'create', 2)];
    const attempts = await Promise.all(sent.map((it) => product.store.attempts(it)));
    expect(attempts.map(({ length }) => length)).toEqual([1, 1]);
    expect(await product.store.cards.get(id)).toMatchObject({
      state: 'succeeded',
      lastFour: cardOf('success').number.slice(-4),
      contradictedAt: null,
    });
    await recordHistory(handle, 'cardPayment', 'another-card');
    // The acquirer takes its decline back when the other card has paid: people are told.
    const first = (await product.paymentsOf(id)).find(({ status }) => status === 'FAILED');
    const takenBack = { payment_id: first?.payment_id, payment_status: 'SUCCEEDED' };
    await product.sandboxTest('POST', 'webhooks/send', takenBack);
    await until(async () => (await product.store.cards.get(id))?.contradictedAt != null);
  });

  it('that came later, by a webhook, a card with a challenge pays: its challenge is resumed once', async () => {
    const id = 'another-card-with-a-challenge';
    const handle = await declined(id, 'challenge-fails');
    await product.giveCard(id, 'challenge');
    await product.answerChallenge(id, 'confirm');
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect(await statuses(product, id)).toEqual(['FAILED', 'SUCCEEDED']);
    expect(await product.store.attempts(cardRequestId(id, 'resume', 8))).toHaveLength(1);
    expect(await product.store.attempts(cardRequestId(id, 'resume', 9))).toEqual([]);
    await recordHistory(handle, 'cardPayment', 'another-card-with-a-challenge');
  });

  it('of the last card it fails, and takes no further one', async () => {
    const id = 'cards-used-up';
    const handle = await declined(id);
    await product.giveCard(id, 'fail-later');
    await until(async () => (await product.untilState(id, 'awaiting-card')).cards_left === 1);
    await product.giveCard(id, 'decline');
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'card-declined' } });
    expect(await product.giveCard(id, 'success')).toMatchObject({ status: 409 });
    expect(await statuses(product, id)).toEqual(['FAILED', 'FAILED', 'FAILED']);
    await recordHistory(handle, 'cardPayment', 'cards-used-up');
  });

  it('it can be cancelled, and its amount changed', async () => {
    const id = 'cancelled-after-a-decline';
    const handle = await declined(id);
    expect(await product.call('POST', `/v1/card-payments/${id}/amount`, { amount: '7.00' })).toMatchObject({
      status: 200,
    });
    expect(await product.call('POST', `/v1/card-payments/${id}/cancel`, {})).toMatchObject({
      body: { outcome: 'cancelled' },
    });
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
    expect(await product.store.cards.get(id)).toMatchObject({ amount: '7.00' });
    await recordHistory(handle, 'cardPayment', 'cancelled-after-a-decline');
  });

  it('the same request again does not try the same card again; with another card it does', async () => {
    const id = 'same-card-again';
    const handle = await declined(id);
    const path = '/v1/card-payments';
    expect(await product.call('POST', path, askedAgain(id, { card: cardOf('decline') }))).toMatchObject({
      status: 200,
    });
    expect(await product.untilState(id, 'awaiting-card')).toMatchObject({ cards_left: 2 });
    await product.call('POST', path, askedAgain(id, { card: cardOf('success') }));
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect(await statuses(product, id)).toEqual(['FAILED', 'SUCCEEDED']);
  });

  it('that the acquirer takes back, people decide, and no other card is charged', async () => {
    const id = 'paid-after-all';
    await declined(id);
    const [{ payment_id: paymentId } = {}] = await product.paymentsOf(id);
    await product.sandboxTest('POST', 'webhooks/send', { payment_id: paymentId, payment_status: 'SUCCEEDED' });
    const { reason } = await product.untilState(id, 'needs-operator');
    expect(reason?.code).toBe('status-contradicted');
    expect(await product.giveCard(id, 'success')).toMatchObject({ status: 409 });
    expect(await statuses(product, id)).toEqual(['FAILED']);
    await product.client.workflow.getHandle(cardWorkflowId(id)).terminate('a test');
  });

  it('a run that was terminated goes on with the card that starts it again', async () => {
    const id = 'terminated-after-a-decline';
    const handle = await declined(id);
    await handle.terminate('a test');
    await product.call('POST', '/v1/card-payments', askedAgain(id, { card: cardOf('success') }));
    const next = product.client.workflow.getHandle(cardWorkflowId(id)) as CardPaymentHandle;
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    expect(await statuses(product, id)).toEqual(['FAILED', 'SUCCEEDED']);
    await recordHistory(next, 'cardPayment', 'another-card-for-a-later-run');
  });

  it('of which an answer was lost there is no other card', async () => {
    const id = 'declined-after-a-lost-answer';
    const fault = { operation: 'cards.create', match: { reference: id }, times: 1, kind: 'drop-after' };
    await product.sandboxTest('POST', 'faults', fault);
    const handle = await product.ask({ id, card: 'decline' });
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'card-declined' } });
    expect(await statuses(product, id)).toEqual(['FAILED']);
    await recordHistory(handle, 'cardPayment', 'declined-after-a-lost-answer');
  });

  it('of a second card whose outcome is unknown no third one is asked for, and the first payment names nothing', async () => {
    const id = 'second-card-in-doubt';
    const handle = await declined(id);
    await product.giveCard(id, 'decline');
    await until(async () => (await product.untilState(id, 'awaiting-card')).cards_left === 1);
    const third = cardRequestId(id, 'create', 3);
    await product.sandboxTest('POST', 'faults', {
      operation: 'cards.create',
      match: { reference: third },
      times: 50,
      kind: 'drop-after',
    });
    await product.giveCard(id, 'slow');
    await product.untilState(id, 'resolving');
    expect(await product.giveCard(id, 'success')).toMatchObject({ status: 409 });
    await until(async () => (await statuses(product, id)).includes('PROCESSING'));
    expect((await product.untilState(id, 'resolving', 'needs-operator')).payment_id).toBeNull();
    expect(await statuses(product, id)).toEqual(['FAILED', 'FAILED', 'PROCESSING']);
    await handle.terminate('a test');
  });
});

describe('a card that the acquirer refuses', () => {
  let product: CardProduct;
  beforeAll(async () => {
    product = await startCardProduct({ PAYOUTS_CARD_TRIES: '3' });
  });
  afterAll(() => product[Symbol.asyncDispose]());

  it.each(['cards.setUp', 'cards.create'])(
    'at %s is asked for again: the same command begins again',
    async (operation) => {
      const id = `refused-at-${operation.slice(6)}`.toLowerCase();
      await product.sandboxTest('POST', 'faults', { operation, times: 1, kind: 'code', code: 2002, commit: false });
      const handle = await product.ask({ id });
      expect(await product.untilState(id, 'awaiting-card', 'failed')).toMatchObject({
        state: 'awaiting-card',
        reason: { code: 'card-refused' },
        cards_left: 2,
      });
      await product.call('POST', '/v1/card-payments', askedAgain(id, { card: cardOf('success') }));
      expect(await handle.result()).toMatchObject({ state: 'succeeded' });
      const [payment, ...others] = await product.paymentsOf(id);
      expect(others).toEqual([]);
      // Nothing was sent under the merchant's own id where the set-up was refused.
      const used = operation === 'cards.setUp' ? id : cardRequestId(id, 'create', 2);
      expect(payment).toMatchObject({ merchant_request_id: used, status: 'SUCCEEDED' });
      await recordHistory(handle, 'cardPayment', id);
    },
  );
});

describe('a decline that retrieve does not show', () => {
  it.each([
    ['at once is looked at again before another card is asked for', 'retrieve-behind', 2, 'awaiting-card'],
    ['at all is the end: no other card is asked for', 'retrieve-away', 10_000, 'failed'],
  ] as const)('%s', async (_what, id, times, state) => {
    await using product = await startCardProduct({ PAYOUTS_CARD_TRIES: '3' });
    const away = { operation: 'cards.retrieve', kind: 'http', status: 404, commit: false };
    await product.sandboxTest('POST', 'faults', { ...away, times });
    await product.ask({ id, card: 'fail-later' });
    expect((await product.untilState(id, 'awaiting-card', 'failed')).state).toBe(state);
  });
});

describe('a run that is reset to before its first create', () => {
  it('does not send the other card again', async () => {
    await using product = await startCardProduct({ PAYOUTS_CARD_TRIES: '3' });
    const id = 'reset-with-another-card';
    const handle = await product.ask({ id, card: 'decline' });
    await product.untilState(id, 'awaiting-card');
    await product.giveCard(id, 'slow');
    await product.untilState(id, 'processing');
    await resetBefore(product, handle, 'createCardPayment');
    await product.untilState(id, 'processing');
    await product.sandboxTest('POST', 'clock', { advance_ms: 3_700_000 });
    const next = product.client.workflow.getHandle(cardWorkflowId(id)) as CardPaymentHandle;
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    expect(await statuses(product, id)).toEqual(['FAILED', 'SUCCEEDED']);
    await recordHistory(next, 'cardPayment', 'reset-with-another-card');
  });

  it('which was refused charges no third card while the second one is under way', async () => {
    await using product = await startCardProduct({ PAYOUTS_CARD_TRIES: '3' });
    const id = 'reset-after-a-refusal';
    const refused = { operation: 'cards.create', times: 1, kind: 'code', code: 2002, commit: false };
    await product.sandboxTest('POST', 'faults', refused);
    const handle = await product.ask({ id });
    await product.untilState(id, 'awaiting-card');
    await product.giveCard(id, 'slow');
    await product.untilState(id, 'processing');
    await resetBefore(product, handle, 'createCardPayment');
    // The vault has forgotten the first card, so that this run asks for one.
    await product.untilState(id, 'awaiting-card');
    await product.giveCard(id, 'success');
    await product.untilState(id, 'resolving', 'needs-operator');
    await product.sandboxTest('POST', 'clock', { advance_ms: 3_700_000 });
    const next = product.client.workflow.getHandle(cardWorkflowId(id)) as CardPaymentHandle;
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    expect(await statuses(product, id)).toEqual(['SUCCEEDED']);
    await recordHistory(next, 'cardPayment', 'reset-after-a-refusal');
  });
});

describe('a page that is abandoned after a decline', () => {
  it('fails as declined when the deadline is over', async () => {
    await using product = await startCardProduct({ PAYOUTS_CARD_TRIES: '3', PAYOUTS_CARD_DEADLINE: '60s' });
    const id = 'no-other-card-given';
    const handle = await product.ask({ id, card: 'decline' });
    const result = await handle.result();
    expect(result).toMatchObject({ state: 'failed', reason: { code: 'card-declined' } });
    expect(await product.store.cards.get(id)).toMatchObject({ state: 'failed', paymentId: result.payment_id });
    expect(await statuses(product, id)).toEqual(['FAILED']);
    await recordHistory(handle, 'cardPayment', 'no-other-card-given');
  });
});

describe('a run begun again after a decline for want of a set-up', () => {
  it('begins again with one', async () => {
    await using product = await startCardProduct({ PAYOUTS_CARD_FINGERPRINT_WAIT: '500s' });
    const id = 'begun-again-for-a-set-up';
    const handle = await product.ask({ id, card: 'needs-set-up', three_ds: 'skip' });
    await product.untilState(id, 'awaiting-fingerprint');
    await handle.terminate('a test');
    await product.call('POST', '/v1/card-payments', askedAgain(id, { card: cardOf('needs-set-up'), three_ds: 'skip' }));
    await product.untilState(id, 'awaiting-fingerprint');
    await product.call('POST', `/v1/card-payments/${id}/fingerprint`, {});
    const next = product.client.workflow.getHandle(cardWorkflowId(id)) as CardPaymentHandle;
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    expect(await statuses(product, id)).toEqual(['REQUIRES_ACTION', 'SUCCEEDED']);
    await recordHistory(next, 'cardPayment', 'begun-again-for-a-set-up');
  });
});
