import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRequestId } from '../../src/domain/identity.ts';
import { cardWorkflowId, TASK_QUEUE } from '../../src/domain/names.ts';
import type { ScenarioName } from '../../src/sandbox/acquirer/card.ts';
import { alterAnswers } from '../support/altered-answers.ts';
import {
  type CardPaymentHandle,
  type CardProduct,
  cardOf,
  resetBefore,
  startCardProduct,
} from '../support/card-product.ts';
import { failedTasks } from '../support/failed-tasks.ts';
import { recordHistory } from '../support/record-history.ts';
import { tamper } from '../support/sql.ts';
import { until } from '../support/until.ts';

/** What goes wrong between a card payment and its acquirer, and what must follow: at most one capture, and no false end. */

/** Ten seconds, as these waits are scaled: what a busy machine needs for what has to be said in it. */
const FINGERPRINT_WAIT = '500s';

const captures = async (product: CardProduct, id: string): Promise<number> =>
  (await product.paymentsOf(id)).filter(({ status }) => status === 'SUCCEEDED').length;

const fault = (product: CardProduct, operation: string, reference: string, more: Record<string, unknown>) =>
  product.sandboxTest('POST', 'faults', { operation, match: { reference }, times: 1, ...more });

const resolve = (handle: CardPaymentHandle, action: string, more: Record<string, unknown> = {}) =>
  handle.executeUpdate<{ accepted: boolean; message: string }, [unknown]>('resolve', {
    args: [{ action, by: 'ann', evidence: 'statement 12', ...more }],
  });

describe.concurrent('a create whose answer is lost', () => {
  let product: CardProduct;
  beforeAll(async () => {
    product = await startCardProduct({ PAYOUTS_CARD_PATIENCE: '50s' });
  });
  afterAll(() => product[Symbol.asyncDispose]());

  it.concurrent.each([
    ['after-the-commit', { kind: 'drop-after' }],
    ['before-the-commit', { kind: 'drop-before' }],
    ['as-an-error', { kind: 'http', status: 502, commit: true }],
    ['as-garbage', { kind: 'garbage-after' }],
  ])('%s is repeated under the same id, and takes the money once', async (name, how) => {
    const id = `lost-${name}`;
    await fault(product, 'cards.create', id, how);
    // No event names the payment: only the repeat can.
    const handle = await product.ask({ id, card: 'no-webhook' });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
    expect(await product.store.attempts(id)).toHaveLength(2);
    if (name === 'after-the-commit') await recordHistory(handle, 'cardPayment', 'answer-lost');
  });

  it('of a resume is searched for, and repeated under the same id only while the payment still asks for it', async () => {
    const id = 'lost-resume';
    const resumeId = cardRequestId(id, 'resume', 0);
    await fault(product, 'cards.create', resumeId, { kind: 'drop-before' });
    const handle = await product.ask({ id, card: 'challenge' });
    await product.answerChallenge(id, 'confirm');
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
    expect(await product.store.attempts(resumeId)).toHaveLength(2);
    await recordHistory(handle, 'cardPayment', 'resume-lost');
  });
});

describe.concurrent('a gateway that is gone', () => {
  let product: CardProduct;
  beforeAll(async () => {
    product = await startCardProduct({ PAYOUTS_CARD_FINGERPRINT_WAIT: FINGERPRINT_WAIT });
  });
  afterAll(() => product[Symbol.asyncDispose]());

  it('before the create takes its cards with it: the cardholder enters one again', async () => {
    const id = 'gateway-gone-early';
    const handle = await product.ask({ id });
    await product.untilState(id, 'awaiting-fingerprint');
    await product.restartGateway();
    const { reason } = await product.untilState(id, 'awaiting-card');
    expect(reason?.code).toBe('card-lost');
    expect(await product.paymentsOf(id)).toEqual([]);
    expect(
      await product.call('POST', `/v1/card-payments/${id}/card`, {
        card: cardOf('success'),
        return_url: 'http://127.0.0.1/back',
      }),
    ).toMatchObject({ status: 200 });
    await product.untilState(id, 'awaiting-fingerprint');
    await product.call('POST', `/v1/card-payments/${id}/fingerprint`, {});
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
    await recordHistory(handle, 'cardPayment', 'gateway-gone-before-the-create');
  });
});

describe('an acquirer that is out of reach', () => {
  it('until the card is gone has been sent nothing: the cardholder enters one again, and the merchant can cancel', async () => {
    await using product = await startCardProduct({
      PAYOUTS_CARD_FINGERPRINT_WAIT: FINGERPRINT_WAIT,
      PAYOUTS_CARD_LIFE: '10s',
    });
    const id = 'never-left';
    const handle = await product.ask({ id });
    await product.untilState(id, 'awaiting-fingerprint');
    await product.sandbox.close();
    await product.call('POST', `/v1/card-payments/${id}/fingerprint`, {});
    const { state, reason } = await product.untilState(id, 'awaiting-card', 'resolving', 'needs-operator');
    expect([state, reason?.code]).toEqual(['awaiting-card', 'card-lost']);
    const attempts = await product.store.attempts(id);
    expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['not-sent']));
    expect(await product.call('POST', `/v1/card-payments/${id}/cancel`, {})).toMatchObject({
      body: { outcome: 'cancelled' },
    });
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
    await recordHistory(handle, 'cardPayment', 'never-left');
  });
});

describe('a gateway whose clock is behind', () => {
  it('keeps its cards: it says itself when one is gone', async () => {
    await using product = await startCardProduct({ PAYOUTS_CARD_FINGERPRINT_WAIT: FINGERPRINT_WAIT });
    const id = 'clock-behind';
    const first = await product.ask({ id });
    await product.untilState(id, 'awaiting-fingerprint');
    const { events } = await first.fetchHistory();
    const [given] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const input = JSON.parse(Buffer.from(given?.data ?? []).toString());
    await first.terminate('a test');
    const next: CardPaymentHandle = await product.client.workflow.start('cardPayment', {
      workflowId: cardWorkflowId(id),
      taskQueue: TASK_QUEUE,
      args: [{ ...input, card: { ...input.card, expires_at: Date.now() - 60_000 } }],
    });
    const { state, reason } = await product.untilState(id, 'awaiting-fingerprint', 'awaiting-card');
    expect([state, reason?.code]).toEqual(['awaiting-fingerprint', undefined]);
    await product.call('POST', `/v1/card-payments/${id}/fingerprint`, {});
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    await recordHistory(next, 'cardPayment', 'clock-behind');
  });
});

/** Waits as a cardholder does: a gateway too busy to take a task in time has lost the card, and is given it once more. */
async function enteringCards(
  product: CardProduct,
  id: string,
  card: ScenarioName,
  isSo: () => Promise<boolean>,
): Promise<void> {
  await until(async () => {
    if (await isSo()) return true;
    if ((await product.store.cards.get(id))?.state === 'awaiting-card') {
      const given = { card: cardOf(card), return_url: 'http://127.0.0.1/back' };
      await product.call('POST', `/v1/card-payments/${id}/card`, given);
    }
    return false;
  });
}

describe.concurrent('a create in doubt without its card', () => {
  let product: CardProduct;
  beforeAll(async () => {
    product = await startCardProduct({ PAYOUTS_CARD_PATIENCE: '30s', PAYOUTS_CARD_REPEAT_WINDOW: '1s' });
  });
  afterAll(() => product[Symbol.asyncDispose]());

  it('goes on by the event that names its payment', async () => {
    const id = 'named-by-an-event';
    await fault(product, 'cards.create', id, { kind: 'drop-after', times: 50 });
    const handle = await product.ask({ id });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
    await recordHistory(handle, 'cardPayment', 'named-by-an-event');
  });

  it('is not sent after the window, and people decide with the acquirer as witness', async () => {
    const id = 'never-named';
    await fault(product, 'cards.create', id, { kind: 'drop-after', times: 50 });
    const handle = await product.ask({ id, card: 'no-webhook' });
    const { reason } = await product.untilState(id, 'needs-operator');
    expect(reason?.code).toBe('payment-outcome-unknown');
    const [payment] = await product.paymentsOf(id);
    const sent = (await product.store.attempts(id)).length;
    expect(await resolve(handle, 'adopt-payment', { paymentId: 'pay_unknown' })).toMatchObject({ accepted: false });
    expect(await resolve(handle, 'keep-looking')).toMatchObject({ accepted: true });
    await product.untilState(id, 'needs-operator');
    expect(await resolve(handle, 'adopt-payment', { paymentId: payment?.payment_id })).toMatchObject({
      accepted: true,
    });
    expect(await handle.result()).toMatchObject({ state: 'succeeded', payment_id: payment?.payment_id });
    expect(await captures(product, id)).toBe(1);
    expect(await product.store.attempts(id)).toHaveLength(sent);
    await recordHistory(handle, 'cardPayment', 'adopted-by-an-operator');
  });

  it('is closed as not paid on the word of an operator', async () => {
    const id = 'closed-by-an-operator';
    await fault(product, 'cards.create', id, { kind: 'drop-before', times: 50 });
    const handle = await product.ask({ id });
    await product.untilState(id, 'needs-operator');
    expect(await resolve(handle, 'close-as-not-paid')).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'closed-by-operator' } });
    expect(await captures(product, id)).toBe(0);
    await recordHistory(handle, 'cardPayment', 'closed-by-an-operator');
  });

  it('of a second create is not forgotten for the first one, which was declined', async () => {
    const id = 'second-in-doubt';
    const again = cardRequestId(id, 'create', 1);
    await fault(product, 'cards.create', again, { kind: 'drop-after', times: 50 });
    const handle = await product.ask({ id, card: 'needs-set-up', three_ds: 'skip' });
    await enteringCards(product, id, 'needs-set-up', async () => (await product.store.attempts(again)).length > 0);
    await handle.terminate('a test');
    await product.client.workflow.start('cardPayment', {
      workflowId: cardWorkflowId(id),
      taskQueue: TASK_QUEUE,
      args: [{ merchant_request_id: id, amount: '49.90', currency: 'EUR', payment_type: 'DEBIT', three_ds: 'setup' }],
    });
    const next = product.client.workflow.getHandle(cardWorkflowId(id));
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
  });

  it('of a run that was reset to before it is not sent again, with any card', async () => {
    // Its clock is advanced.
    await using product = await startCardProduct();
    const id = 'reset-before-the-create';
    const handle = await product.ask({ id, card: 'slow' });
    await product.untilState(id, 'processing');
    await resetBefore(product, handle, 'createCardPayment');
    await product.untilState(id, 'processing');
    await product.sandboxTest('POST', 'clock', { advance_ms: 3_700_000 });
    const next = product.client.workflow.getHandle(cardWorkflowId(id));
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
    await recordHistory(next as CardPaymentHandle, 'cardPayment', 'reset-before-the-create');
  });

  it('of a run that was reset to before its set-up is not forgotten by a cancel', async () => {
    await using product = await startCardProduct({ PAYOUTS_CARD_FINGERPRINT_WAIT: FINGERPRINT_WAIT });
    const id = 'reset-and-cancelled';
    const handle = await product.ask({ id });
    await product.untilState(id, 'awaiting-fingerprint');
    await product.call('POST', `/v1/card-payments/${id}/fingerprint`, {});
    await until(async () => (await product.paymentsOf(id)).length === 1);
    await resetBefore(product, handle, 'setUpCard');
    await product.call('POST', `/v1/card-payments/${id}/cancel`, { reason: 'withdrawn' });
    const next = product.client.workflow.getHandle(cardWorkflowId(id));
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
    await recordHistory(next as CardPaymentHandle, 'cardPayment', 'reset-and-cancelled');
  });

  it('of a run that was reset to before its second create is not forgotten for the first one', async () => {
    const waits = { PAYOUTS_CARD_FINGERPRINT_WAIT: FINGERPRINT_WAIT, PAYOUTS_CARD_DEADLINE: '1500s' };
    await using product = await startCardProduct(waits);
    const id = 'reset-between-creates';
    const handle = await product.ask({ id, card: 'needs-set-up', three_ds: 'skip' });
    await product.untilState(id, 'awaiting-fingerprint');
    await product.call('POST', `/v1/card-payments/${id}/fingerprint`, {});
    await enteringCards(product, id, 'needs-set-up', async () => (await product.paymentsOf(id)).length === 2);
    await resetBefore(product, handle, 'setUpCard');
    await product.call('POST', `/v1/card-payments/${id}/cancel`, { reason: 'withdrawn' });
    const next = product.client.workflow.getHandle(cardWorkflowId(id));
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
  });

  it('of a terminated run is followed by the same request of the merchant', async () => {
    const id = 'asked-again';
    const handle = await product.ask({ id, card: 'challenge' });
    await product.untilState(id, 'awaiting-cardholder');
    await handle.terminate('a test');
    const again = { merchant_request_id: id, amount: '49.90', currency: 'EUR', return_url: 'http://127.0.0.1/back' };
    expect(await product.call('POST', '/v1/card-payments', again)).toMatchObject({ status: 200 });
    await product.answerChallenge(id, 'confirm');
    const next = product.client.workflow.getHandle(cardWorkflowId(id));
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
  });

  it('of a run that was terminated is not sent again by the next run', async () => {
    const id = 'terminated';
    const handle = await product.ask({ id, card: 'slow' });
    await product.untilState(id, 'processing');
    await handle.terminate('a test');
    const next = await product.client.workflow.start('cardPayment', {
      workflowId: cardWorkflowId(id),
      taskQueue: TASK_QUEUE,
      args: [{ merchant_request_id: id, amount: '49.90', currency: 'EUR', payment_type: 'DEBIT', three_ds: 'setup' }],
    });
    await product.untilState(id, 'processing');
    await product.sandboxTest('POST', 'clock', { advance_ms: 3_700_000 });
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
    expect(await product.store.attempts(id)).toHaveLength(1);
    await recordHistory(next, 'cardPayment', 'run-after-a-terminated-one');
  });
});

describe('an older copy of the store', () => {
  it('that knows nothing of a payment sends no create for it where one may have been sent: people decide', async () => {
    await using product = await startCardProduct({ PAYOUTS_CARD_PATIENCE: '50s' });
    const id = 'forgotten-by-the-store';
    const before = await product.client.workflow.start('cardPayment', {
      workflowId: cardWorkflowId(id),
      taskQueue: 'of-nobody',
      args: [{}],
    });
    await before.terminate('what it has sent is not in the copy');
    await product.store.recordRestore({ at: Date.now(), from: 0, by: 'olga', detail: {} });
    const handle = await product.ask({ id });
    const { reason } = await product.untilState(id, 'needs-operator', 'succeeded');
    expect(reason?.code).toBe('payment-outcome-unknown');
    expect(await product.store.attempts(id)).toEqual([]);
    expect(await product.paymentsOf(id)).toEqual([]);
    expect(await resolve(handle, 'close-as-not-paid')).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'closed-by-operator' } });
    await recordHistory(handle, 'cardPayment', 'forgotten-by-the-store');
    const unknown = 'never-asked-for-before';
    expect(await (await product.ask({ id: unknown })).result()).toMatchObject({ state: 'succeeded' });
  });

  it('ends no payment for want of a card where an earlier run may have sent one: people decide', async () => {
    await using product = await startCardProduct({ PAYOUTS_CARD_PATIENCE: '50s', PAYOUTS_CARD_DEADLINE: '50s' });
    const id = 'taken-after-the-copy';
    await (await product.ask({ id })).result();
    for (const table of ['card_payments', 'card_payment_ids', 'card_events', 'card_requests', 'send_attempts'])
      await tamper(product.storeUrl, `delete from ${table}`);
    await product.store.recordRestore({ at: Date.now(), from: Date.now(), by: 'olga', detail: {} });
    const handle = await product.ask({ id, card: null });
    const { reason } = await product.untilState(id, 'needs-operator', 'failed');
    expect(reason?.code).toBe('payment-outcome-unknown');
    const [taken] = await product.paymentsOf(id);
    expect(await resolve(handle, 'adopt-payment', { paymentId: taken?.payment_id })).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
  });

  it('learns again of a payment that it has forgotten from its open workflow', async () => {
    await using product = await startCardProduct();
    const id = 'forgotten-while-open';
    const handle = await product.ask({ id, card: 'challenge' });
    await product.untilState(id, 'awaiting-cardholder');
    for (const table of ['card_payments', 'card_payment_ids'])
      await tamper(product.storeUrl, `delete from ${table} where merchant_request_id = '${id}'`);
    await product.answerChallenge(id, 'confirm');
    const result = await handle.result();
    expect(result).toMatchObject({ state: 'succeeded' });
    expect(await product.store.cards.get(id)).toMatchObject({ state: 'succeeded', amount: '49.90' });
    expect(await product.store.cards.paymentsOf(id)).toEqual([result.payment_id]);
  });
});

describe.concurrent('an amount', () => {
  let product: CardProduct;
  beforeAll(async () => {
    product = await startCardProduct({ PAYOUTS_CARD_FINGERPRINT_WAIT: FINGERPRINT_WAIT });
  });
  afterAll(() => product[Symbol.asyncDispose]());

  it('that changes between set-up and create has a set-up of its own, and is what is taken', async () => {
    const id = 'amount-changed';
    const handle = await product.ask({ id, card: 'challenge' });
    await product.untilState(id, 'awaiting-fingerprint');
    expect(await product.call('POST', `/v1/card-payments/${id}/amount`, { amount: '59.90' })).toMatchObject({
      status: 200,
    });
    await until(async () => (await sessionsOf(product)).some(({ amount }) => amount === '59.90'));
    await product.untilState(id, 'awaiting-fingerprint');
    await product.call('POST', `/v1/card-payments/${id}/fingerprint`, {});
    await product.answerChallenge(id, 'confirm');
    expect(await product.call('POST', `/v1/card-payments/${id}/amount`, { amount: '69.90' })).toMatchObject({
      status: 409,
    });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect(await product.paymentsOf(id)).toMatchObject([{ amount: '59.90', status: 'SUCCEEDED' }]);
    const amounts = (await sessionsOf(product)).map(({ amount }) => amount);
    expect(amounts).toEqual(expect.arrayContaining(['49.90', '59.90']));
    await recordHistory(handle, 'cardPayment', 'amount-changed');
  });

  it('that changes before a declined payment begins again with a set-up is the one that is taken', async () => {
    const id = 'amount-after-decline';
    const handle = await product.ask({ id, card: 'needs-set-up', three_ds: 'skip' });
    await product.untilState(id, 'awaiting-fingerprint');
    expect(await product.call('POST', `/v1/card-payments/${id}/amount`, { amount: '7.00' })).toMatchObject({
      status: 200,
    });
    await until(async () => (await sessionsOf(product)).some(({ amount }) => amount === '7.00'));
    await product.untilState(id, 'awaiting-fingerprint');
    await product.call('POST', `/v1/card-payments/${id}/fingerprint`, {});
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    const taken = (await product.paymentsOf(id)).filter(({ status }) => status === 'SUCCEEDED');
    expect(taken).toMatchObject([{ amount: '7.00' }]);
  });

  it('is not set back by a change that comes again under its key', async () => {
    const id = 'amount-set-back';
    await product.ask({ id, card: null });
    await product.untilState(id, 'awaiting-card');
    const change = (amount: string, key: string) =>
      product.call('POST', `/v1/card-payments/${id}/amount`, { amount }, { 'idempotency-key': key });
    expect(await change('60.00', 'one')).toMatchObject({ status: 200 });
    expect(await change('70.00', 'two')).toMatchObject({ status: 200 });
    expect(await change('60.00', 'one')).toMatchObject({ status: 200 });
    expect((await product.untilState(id, 'awaiting-card')).amount).toBe('70.00');
    expect(await change('80.00', 'two')).toMatchObject({ status: 422 });
    expect((await product.untilState(id, 'awaiting-card')).amount).toBe('70.00');
  });

  it('of another request under the same id is refused', async () => {
    const id = 'other-amount-asked';
    // Without a session of its own among those that the other test counts.
    await product.ask({ id, three_ds: 'skip' });
    const again = { merchant_request_id: id, amount: '1.00', currency: 'EUR', return_url: 'http://127.0.0.1/back' };
    expect(await product.call('POST', '/v1/card-payments', again)).toMatchObject({
      status: 409,
      body: { error: { code: 'id-reused' } },
    });
  });
});

async function sessionsOf(product: CardProduct): Promise<{ amount: string }[]> {
  const { sessions } = (await product.sandboxTest('GET', 'card-payments')) as { sessions: { amount: string }[] };
  return sessions;
}

/** Requests to the acquirer's retrieve that a fault has hit. */
async function retrievesFailed(product: CardProduct): Promise<number> {
  const { faults } = (await product.sandboxTest('GET', 'faults')) as { faults: { operation: string; fired: number }[] };
  return faults.filter(({ operation }) => operation === 'cards.retrieve').reduce((sum, { fired }) => sum + fired, 0);
}

describe.concurrent('a challenge', () => {
  it('that is completed while retrieve does not answer is asked about ever more rarely, then resumed', async () => {
    await using product = await startCardProduct();
    const id = 'retrieve-away';
    const handle = await product.ask({ id, card: 'challenge' });
    await product.untilState(id, 'awaiting-cardholder');
    await product.sandboxTest('POST', 'faults', {
      operation: 'cards.retrieve',
      kind: 'http',
      status: 404,
      commit: false,
      times: 10_000,
    });
    await product.answerChallenge(id, 'confirm');
    await product.call('POST', `/v1/card-payments/${id}/returned`, {});
    await new Promise((resolved) => setTimeout(resolved, 4_000));
    expect(await retrievesFailed(product)).toBeLessThan(40);
    await product.sandboxTest('DELETE', 'faults');
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
    expect((await handle.describe()).historyLength).toBeLessThan(200);
  });

  it('from which the browser comes back again and again is abandoned like any other', async () => {
    // 30 s as they pass: less than that a busy machine may need to show that the cardholder is waited for.
    await using product = await startCardProduct({ PAYOUTS_CARD_DEADLINE: '1500s' });
    const id = 'back-and-forth';
    const handle = await product.ask({ id, card: 'challenge-unannounced' });
    await product.untilState(id, 'awaiting-cardholder');
    for (let times = 0; times < 12; times += 1) {
      await product.call('POST', `/v1/card-payments/${id}/returned`, {});
      await new Promise((resolved) => setTimeout(resolved, 100));
    }
    expect(await handle.result()).toMatchObject({ state: 'failed' });
    const { reason } = await handle.result();
    expect(reason?.code).toBe('challenge-abandoned');
    expect((await handle.describe()).historyLength).toBeLessThan(400);
    await recordHistory(handle, 'cardPayment', 'back-and-forth');
  });

  it('whose resume may have been executed is never called abandoned', async () => {
    await using product = await startCardProduct({ PAYOUTS_CARD_DEADLINE: '500s', PAYOUTS_CARD_PATIENCE: '330s' });
    const id = 'resumed-late';
    const handle = await product.ask({ id, card: 'challenge-unannounced' });
    await product.untilState(id, 'awaiting-cardholder');
    // What the resume did is not shown, and no webhook reports it.
    await product.sandboxTest('PUT', 'webhooks', { url: 'http://127.0.0.1:9/', secret: 'whsec_AAAA', scheme: 'none' });
    const resumeId = cardRequestId(id, 'resume', 0);
    await fault(product, 'cards.create', resumeId, { kind: 'drop-after', times: 50 });
    await product.answerChallenge(id, 'confirm');
    await product.call('POST', `/v1/card-payments/${id}/returned`, {});
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect(await captures(product, id)).toBe(1);
  });
});

describe.concurrent('an acquirer that says', () => {
  let product: CardProduct;
  beforeAll(async () => {
    product = await startCardProduct();
  });
  afterAll(() => product[Symbol.asyncDispose]());

  it('another amount than the one asked for is for people', async () => {
    const id = 'captured-above';
    const handle = await product.ask({ id, card: 'other-amount' });
    const { reason } = await product.untilState(id, 'needs-operator');
    expect(reason?.code).toBe('amount-conflict');
    expect(await resolve(handle, 'close-as-not-paid')).toMatchObject({ accepted: false });
    const { payment_id: paymentId } = await product.untilState(id, 'needs-operator');
    expect(await resolve(handle, 'adopt-payment', { paymentId })).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    await recordHistory(handle, 'cardPayment', 'captured-above-the-amount');
  });

  it.each([
    ['amount', '4.99', 'amount-conflict'],
    ['currency', 'USD', 'amount-conflict'],
    ['merchant_request_id', 'order-of-somebody', 'payment-conflict'],
  ])('another %s in its answer to the create, and none when it is asked, is for people', async (field, said, code) => {
    const named = ['amount', 'currency', 'merchant_request_id'];
    const alter = (method: string, answer: Record<string, unknown>): Record<string, unknown> => {
      if (!('payment_id' in answer)) return answer;
      if (method === 'POST') return { ...answer, [field]: said };
      return Object.fromEntries(Object.entries(answer).filter(([name]) => !named.includes(name)));
    };
    await using product = await startCardProduct({}, (url) => alterAnswers(url, alter));
    const id = `answered-another-${field}`;
    const handle = await product.ask({ id });
    const { reason } = await product.untilState(id, 'needs-operator', 'succeeded');
    expect(reason?.code).toBe(code);
    await until(async () => (await captures(product, id)) === 1);
    expect(await resolve(handle, 'close-as-not-paid')).toMatchObject({ accepted: false });
    const { payment_id: paymentId } = await product.untilState(id, 'needs-operator');
    expect(await resolve(handle, 'adopt-payment', { paymentId })).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    if (field === 'amount') await recordHistory(handle, 'cardPayment', 'answered-with-another-amount');
  });

  it.each([
    ['amount', '4.99'],
    ['currency', 'USD'],
  ])('another %s in its webhook, and none when it is asked, is for people', async (field, said) => {
    await using product = await startCardProduct({
      PAYOUTS_CARD_FIELDS: '{"payment.amount":"","payment.currency":""}',
    });
    const id = `told-another-${field}`;
    const handle = await product.ask({ id, card: 'slow' });
    const { payment_id: paymentId } = await product.untilState(id, 'processing');
    const reported = { payment_id: paymentId, payment_status: 'SUCCEEDED', merchant_request_id: id };
    await product.sandboxTest('POST', 'webhooks/send', {
      ...reported,
      amount: '49.90',
      currency: 'EUR',
      [field]: said,
    });
    const { reason } = await product.untilState(id, 'needs-operator', 'succeeded');
    expect(reason?.code).toBe('amount-conflict');
    await product.sandboxTest('POST', 'clock', { advance_ms: 3_700_000 });
    await until(async () => (await captures(product, id)) === 1);
    expect(await resolve(handle, 'close-as-not-paid')).toMatchObject({ accepted: false });
    expect(await resolve(handle, 'adopt-payment', { paymentId })).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    if (field === 'amount') await recordHistory(handle, 'cardPayment', 'told-another-amount');
  });

  it('another amount in a second webhook of the same status is for people', async () => {
    await using product = await startCardProduct();
    const id = 'told-two-amounts';
    const handle = await product.ask({ id, card: 'slow' });
    const { payment_id: paymentId } = await product.untilState(id, 'processing');
    const reported = {
      type: 'payment.processing',
      payment_id: paymentId,
      payment_status: 'PROCESSING',
      currency: 'EUR',
    };
    for (const amount of ['49.90', '499.00']) {
      await product.sandboxTest('POST', 'webhooks/send', { ...reported, merchant_request_id: id, amount });
      await until(async () => (await product.store.cards.eventsOf(id)).some((it) => it.amount?.endsWith(amount)));
    }
    const { reason } = await product.untilState(id, 'needs-operator');
    expect(reason?.code).toBe('amount-conflict');
    await product.sandboxTest('POST', 'clock', { advance_ms: 3_700_000 });
    await until(async () => (await captures(product, id)) === 1);
    expect(await resolve(handle, 'adopt-payment', { paymentId })).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    await recordHistory(handle, 'cardPayment', 'told-two-amounts');
  });

  it('another amount in a webhook after the end contradicts it', async () => {
    const id = 'told-another-amount-late';
    const handle = await product.ask({ id, card: 'no-webhook' });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    const { paymentId } = (await product.store.cards.get(id)) ?? {};
    const reported = { payment_id: paymentId, payment_status: 'SUCCEEDED', merchant_request_id: id };
    await product.sandboxTest('POST', 'webhooks/send', { ...reported, amount: '499.00', currency: 'EUR' });
    await until(async () => (await product.store.cards.get(id))?.contradictedAt != null);
  });

  it('SUCCEEDED and then FAILED has its first word believed and the second one shown to people', async () => {
    const id = 'contradicted';
    const handle = await product.ask({ id });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    // Sent from here, for two events of a busy sandbox come in any order.
    const { paymentId } = (await product.store.cards.get(id)) ?? {};
    const reported = { payment_id: paymentId, payment_status: 'FAILED', merchant_request_id: id };
    await product.sandboxTest('POST', 'webhooks/send', reported);
    await until(async () => (await product.store.cards.get(id))?.contradictedAt != null);
    const effects = (await product.store.cards.eventsOf(id)).map(({ status, effect }) => `${status} ${effect}`);
    expect(effects.sort()).toEqual(['FAILED contradicts', 'SUCCEEDED delivered']);
  });

  it('a payment that it never shows, nor reports the end of, leaves that end to two people', async () => {
    await using product = await startCardProduct({ PAYOUTS_STATUS_AGE_LIMIT: '10s' });
    const id = 'never-shown';
    const away = { operation: 'cards.retrieve', kind: 'http', status: 404, commit: false, times: 10_000 };
    await product.sandboxTest('POST', 'faults', away);
    const handle = await product.ask({ id, card: 'no-webhook' });
    const { reason } = await product.untilState(id, 'needs-operator');
    expect(reason?.code).toBe('status-stuck-at-acquirer');
    for (const by of ['ann', 'Ann ']) {
      expect(await resolve(handle, 'close-as-not-paid', { by })).toMatchObject({
        accepted: false,
        message: expect.stringContaining('a second person'),
      });
    }
    expect(await resolve(handle, 'close-as-not-paid', { by: 'bob' })).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'closed-by-operator' } });
    await recordHistory(handle, 'cardPayment', 'never-shown-closed-by-two');
  });

  it('that another payment, which nobody can retrieve, took the money is for people', async () => {
    const id = 'named-beside';
    const handle = await product.ask({ id, card: 'challenge' });
    await product.untilState(id, 'awaiting-cardholder');
    const reported = { payment_id: 'pay_beside', payment_status: 'SUCCEEDED', merchant_request_id: id };
    await product.sandboxTest('POST', 'webhooks/send', reported);
    const { reason } = await product.untilState(id, 'needs-operator');
    expect(reason?.code).toBe('payment-conflict');
    expect(await captures(product, id)).toBe(0);
    expect(await resolve(handle, 'close-as-not-paid')).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'failed' });
    await recordHistory(handle, 'cardPayment', 'another-payment-named');
  });

  it('SUCCEEDED of a payment that another intent has is for people: one payment is not counted twice', async () => {
    // By the ids that it shows it would be nobody's.
    await using product = await startCardProduct({ PAYOUTS_CARD_FIELDS: '{"payment.merchant_request_id":""}' });
    const [id, other] = ['follows-its-own', 'has-been-paid'];
    const handle = await product.ask({ id, card: 'slow' });
    await product.untilState(id, 'processing');
    await (await product.ask({ id: other })).result();
    const paymentId = (await product.store.cards.get(other))?.paymentId ?? '';
    const event = { kind: 'status', paymentId, status: 'SUCCEEDED', trust: 'verified', receivedAt: Date.now() };
    await handle.signal('cardEvent', event);
    const { reason } = await product.untilState(id, 'needs-operator', 'succeeded');
    expect(reason?.code).toBe('payment-conflict');
    await product.sandboxTest('POST', 'clock', { advance_ms: 3_700_000 });
    const [own] = await product.store.cards.paymentsOf(id);
    await until(async () => (await product.paymentsOf(id))[0]?.status === 'SUCCEEDED');
    expect(await resolve(handle, 'adopt-payment', { paymentId })).toMatchObject({ accepted: false });
    expect(await resolve(handle, 'adopt-payment', { paymentId: own })).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'succeeded', payment_id: own });
    await recordHistory(handle, 'cardPayment', 'payment-of-another-intent-named');
  });

  it('an amount that is no text, by a signal of somebody else, is not received and stops no payment', async () => {
    const id = 'no-text';
    const handle = await product.ask({ id, card: 'challenge' });
    await product.untilState(id, 'awaiting-cardholder');
    const event = { kind: 'status', paymentId: 'pay-x', status: 'PENDING', trust: 'verified', receivedAt: 1 };
    for (const amount of [1, 2, {}]) await handle.signal('cardEvent', { ...event, amount });
    await product.answerChallenge(id, 'confirm');
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    const { events } = await handle.fetchHistory();
    expect(failedTasks(events ?? [])).toEqual([]);
  });

  it('nothing more after the cardholder was cancelled by the merchant', async () => {
    const id = 'cancelled';
    const handle = await product.ask({ id, card: null });
    await product.untilState(id, 'awaiting-card');
    await product.call('POST', `/v1/card-payments/${id}/amount`, { amount: '5.00' });
    await until(async () => (await product.store.cards.get(id))?.amount === '5.00');
    expect(await product.call('POST', `/v1/card-payments/${id}/cancel`, { reason: 'order withdrawn' })).toMatchObject({
      status: 200,
      body: { outcome: 'cancelled' },
    });
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
    await recordHistory(handle, 'cardPayment', 'cancelled');
  });
});

describe.concurrent('events that an address alone vouches for', () => {
  let product: CardProduct;
  beforeAll(async () => {
    // Nothing is read without an event: the patience is longer than the test.
    product = await startCardProduct({
      PAYOUTS_WEBHOOK_SCHEME: 'ip',
      PAYOUTS_WEBHOOK_IPS: '127.0.0.1/32',
      PAYOUTS_CARD_PATIENCE: '24h',
      PAYOUTS_CARD_REPEAT_WINDOW: '1s',
    });
  });
  afterAll(() => product[Symbol.asyncDispose]());

  const send = (body: unknown) => product.call('POST', '/v1/webhooks/cards', body);

  it('make the payment be read, and end nothing by themselves', async () => {
    const id = 'hinted';
    const handle = await product.ask({ id, card: 'slow' });
    const { payment_id: paymentId } = await product.untilState(id, 'processing');
    expect(await send({ payment_id: paymentId, payment_status: 'FAILED' })).toMatchObject({ status: 200 });
    await until(async () => (await product.store.cards.eventsOf(id)).every(({ effect }) => effect !== null));
    expect((await product.untilState(id, 'processing')).reason).toBeNull();
    await product.sandboxTest('POST', 'clock', { advance_ms: 3_700_000 });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    await recordHistory(handle, 'cardPayment', 'looked-at-on-a-hint');
  });

  it('name no payment of somebody else as ours', async () => {
    const other = await product.ask({ id: 'hinted-other' });
    const { payment_id: foreign } = await other.result();
    const id = 'hinted-name';
    await fault(product, 'cards.create', id, { kind: 'drop-before', times: 50 });
    const handle = await product.ask({ id });
    await product.untilState(id, 'resolving');
    const claim = { payment_id: foreign, merchant_request_id: id };
    // The foreign payment is known as somebody's; one that nobody knows is asked for at the acquirer.
    await send({ ...claim, payment_id: 'pay_unknown', payment_status: 'SUCCEEDED' });
    await send({ ...claim, payment_status: 'SUCCEEDED' });
    await until(async () => (await product.store.cards.eventsOf(id)).length > 0);
    await new Promise((resolved) => setTimeout(resolved, 1_000));
    expect(await product.untilState(id, 'resolving', 'needs-operator')).toMatchObject({ payment_id: null });
    await handle.terminate('a test');
  });
});

describe('a declined payment', () => {
  it('takes no other card, and the same request again charges none', async () => {
    await using product = await startCardProduct();
    const id = 'declined-for-good';
    const handle = await product.ask({ id, card: 'decline' });
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'card-declined' } });
    expect(await product.giveCard(id, 'success')).toMatchObject({ status: 409 });
    expect(await askAgain(product, id, { card: cardOf('success') })).toMatchObject({
      status: 200,
      body: { card_payment: { state: 'failed' } },
    });
    expect((await product.paymentsOf(id)).map(({ status }) => status)).toEqual(['FAILED']);
  });

  it('for want of a set-up is begun again with one by the next run', async () => {
    await using product = await startCardProduct({ PAYOUTS_CARD_FINGERPRINT_WAIT: '500s' });
    const id = 'begun-again-for-a-set-up';
    const handle = await product.ask({ id, card: 'needs-set-up', three_ds: 'skip' });
    await product.untilState(id, 'awaiting-fingerprint');
    await handle.terminate('a test');
    await askAgain(product, id, { card: cardOf('needs-set-up'), three_ds: 'skip' });
    await product.untilState(id, 'awaiting-fingerprint');
    await product.call('POST', `/v1/card-payments/${id}/fingerprint`, {});
    const next = product.client.workflow.getHandle(cardWorkflowId(id)) as CardPaymentHandle;
    expect(await next.result()).toMatchObject({ state: 'succeeded' });
    const statuses = (await product.paymentsOf(id)).map(({ status }) => status);
    expect(statuses.sort()).toEqual(['REQUIRES_ACTION', 'SUCCEEDED']);
    await recordHistory(next, 'cardPayment', 'begun-again-for-a-set-up');
  });
});

const askAgain = (product: CardProduct, id: string, more: object) =>
  product.call('POST', '/v1/card-payments', {
    merchant_request_id: id,
    amount: '49.90',
    currency: 'EUR',
    return_url: 'http://127.0.0.1/back',
    ...more,
  });
