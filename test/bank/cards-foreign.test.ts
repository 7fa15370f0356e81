import { describe, expect, test } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { CREATE, RESUME, SET_UP } from './support/card-requests.ts';
import { answer, type Script } from './support/scripted-bank.ts';
import { bankWith, testBank } from './support/test-bank.ts';

/** An acquirer with wholly different shapes: its names come from the setting alone. */
const SETTING = JSON.stringify({
  amount: 'order.value',
  currency: 'order.ccy',
  merchant_request_id: 'order.clientRef',
  payment_type: 'intent',
  'card.number': 'paymentMethod.pan',
  'card.expiry_month': 'paymentMethod.exp.mm',
  'card.expiry_year': 'paymentMethod.exp.yyyy',
  'card.cvv': 'paymentMethod.securityCode',
  'card.holder_name': 'paymentMethod.owner buyer.fullName',
  'three_ds_info.reference_id': 'authentication.session',
  return_url: 'urls.back urls.cancel',
  'billing.email': 'buyer.mail',
  'billing.address.line1': 'buyer.street',
  'billing.address.postcode': '',
  'device_info.ip': 'browser.address',
  'device_info.screen_width': 'browser.screen.w',
  'device_info.screen_height': 'browser.screen.h',
  'session.reference_id': 'result.session.id',
  'session.data_collection_info': 'result.collect',
  'resume.payment_id': 'result.id',
  'resume.reference_id': 'authentication.session',
  'payment.payment_id': 'result.id',
  'payment.payment_status': 'result.state',
  'payment.next_action.type': '',
  'payment.next_action.verify_url': 'result.redirect.href',
  'payment.amount': 'result.total.value',
  'payment.currency': 'result.total.ccy',
  'webhook.type': 'event',
  'webhook.payment_id': 'subject.paymentRef subject.id',
  'webhook.payment_status': 'subject.outcome',
  'webhook.reference_id': 'subject.session',
  'webhook.amount': 'subject.captured.value',
  'webhook.currency': '',
});
const { cards: SETTINGS } = loadConfig({ PAYOUTS_CARD_FIELDS: SETTING });

/** Serves the foreign shapes; a request that lacks what it needs is answered as such an acquirer would. */
const foreign: Script = (request, response) => {
  const body = request.body === '' ? {} : JSON.parse(request.body);
  const total = { value: '49.90', ccy: 'EUR' };
  if (request.target.endsWith('/setup')) {
    if (body.paymentMethod?.pan === undefined) return answer(422, { error: 'pan' })(request, response);
    const session = { result: { session: { id: 'S-9' }, collect: ['https://acs.example'], issuer: 'bank' } };
    return answer(200, session)(request, response);
  }
  if (request.method === 'GET') {
    return answer(200, { result: { id: 'P-1', state: 'SUCCEEDED', total } })(request, response);
  }
  const result = { id: 'P-1', state: 'REQUIRES_ACTION', total, redirect: { href: 'https://acs.example/c' }, hint: 'x' };
  return answer(body.order?.clientRef === undefined ? 422 : 200, { result })(request, response);
};

async function atForeign<T>(use: (bank: Bank, sent: () => unknown) => Promise<T>): Promise<T> {
  const { bank, server } = await bankWith(foreign, { cardFields: SETTINGS.fields });
  return await use(bank, () => JSON.parse(server.seen.at(-1)?.body ?? ''));
}

describe('an acquirer of other shapes', () => {
  test('gets and gives a set-up', async () => {
    await atForeign(async ({ cards }, sent) => {
      expect(await cards.setUp(SET_UP)).toEqual({
        referenceId: 'S-9',
        dataCollectionInfo: ['https://acs.example'],
      });
      expect(sent()).toEqual({
        order: { value: '49.90', ccy: 'EUR' },
        paymentMethod: {
          pan: '4111111111111111',
          exp: { mm: '07', yyyy: '2031' },
          securityCode: '8437',
          owner: 'Zelda Quistgaard',
        },
        buyer: { fullName: 'Zelda Quistgaard' },
      });
    });
  });

  test('gets a create with one value in several places and without what is left out', async () => {
    await atForeign(async ({ cards }, sent) => {
      expect(await cards.create(CREATE)).toEqual({
        paymentId: 'P-1',
        status: 'REQUIRES_ACTION',
        nextAction: { type: '3DS', verifyUrl: 'https://acs.example/c' },
        amount: '49.90',
        currency: 'EUR',
        merchantRequestId: undefined,
      });
      expect(sent()).toMatchObject({
        order: { value: '49.90', ccy: 'EUR', clientRef: 'intent-1' },
        intent: 'DEBIT',
        authentication: { session: 'ref-1' },
        urls: { back: CREATE.returnUrl, cancel: CREATE.returnUrl },
        buyer: { mail: 'zelda@shop.example', street: '1 Canary Row' },
        browser: { address: '203.0.113.9', screen: { w: 1440, h: 900 } },
        billing: { address: { city: 'Oslo', country: 'NO' } },
        device_info: { language: 'nb' },
      });
      expect(JSON.stringify(sent())).not.toContain('0150');
    });
  });

  test('gets a resume and a read', async () => {
    await atForeign(async ({ cards }, sent) => {
      await cards.resume({ ...RESUME, paymentId: 'P-1' });
      expect(sent()).toEqual({
        order: { value: '49.90', ccy: 'EUR', clientRef: 'intent-1-resume' },
        intent: 'DEBIT',
        result: { id: 'P-1' },
        authentication: { session: 'ref-1' },
      });
      expect(await cards.retrieve('P-1')).toMatchObject({ status: 'SUCCEEDED', amount: '49.90', nextAction: null });
    });
  });

  test('shows its payments and challenges', async () => {
    await atForeign(async ({ cards: { noticeOf } }) => {
      expect(noticeOf({ event: 'paid', subject: { id: 'P-1', outcome: 'SUCCEEDED' } })).toEqual({
        kind: 'status',
        paymentId: 'P-1',
        status: 'SUCCEEDED',
      });
      const captured = { value: '4990', ccy: 'EUR' };
      expect(noticeOf({ event: 'paid', subject: { id: 'P-1', outcome: 'SUCCEEDED', captured } })).toMatchObject({
        amount: '4990',
        currency: undefined,
      });
      expect(noticeOf({ event: 'auth', subject: { session: 'S-9' } })).toEqual({
        kind: 'completion',
        referenceId: 'S-9',
      });
      expect(noticeOf({ type: 'payment.succeeded', data: { payment_id: 'P-1', payment_status: 'SUCCEEDED' } })).toBe(
        undefined,
      );
    });
  });
});

describe('an event under our own names', () => {
  const noticeOf = testBank('http://127.0.0.1:1').cards.noticeOf;
  const status = { payment_id: 'p', payment_status: 'FAILED', merchant_request_id: 'm' };
  const aStatus = { kind: 'status', paymentId: 'p', status: 'FAILED', referenceId: undefined, merchantRequestId: 'm' };

  const inSmall = { ...status, payment_status: 'failed' };
  test.each([status, { data: status }, { data: { object: status } }, { payment: status }, { code: 0, data: inSmall }])(
    'with a status is about the payment: %j',
    (body) => {
      expect(noticeOf(body)).toEqual(aStatus);
    },
  );

  test.each([
    { ...status, amount: 49.9, currency: 'eur' },
    { data: { ...status, amount: '49.9', currency: 'EUR' } },
    { type: 'payment.failed', payment: { ...status, amount: '49.9' }, currency: 'Eur' },
    { ...status, amount: { value: '49.9', currency: 'EUR' } },
    { data: { object: { ...status, amount: { value: 49.9 }, currency: 'EUR' } } },
  ])('with a status says of which sum, where it does: %j', (body) => {
    expect(noticeOf(body)).toEqual({ ...aStatus, amount: '49.9', currency: 'EUR' });
  });

  test.each([{ total: '49.9' }, ['49.9'], true, ''])('says when its amount cannot be read: %j', (amount) => {
    expect(noticeOf({ ...status, amount })).toEqual({ ...aStatus, unread: true });
    expect(noticeOf({ ...status, amount: null })).toEqual(aStatus);
  });

  test.each([
    { type: 'three_ds.completed', data: { payment_id: 'p', reference_id: 'r' } },
    { type: 'three_ds.completed', data: { payment_id: 'p', reference_id: 'r', payment_status: 'REQUIRES_ACTION' } },
    { event: 'x', reference_id: 'r', payment_id: 'p' },
    { type: 'THREE_DS_DONE', payment_id: 'p', reference_id: 'r' },
  ])('about 3-D Secure reports a completed challenge: %j', (body) => {
    expect(noticeOf(body)).toMatchObject({ kind: 'completion', paymentId: 'p', status: undefined, referenceId: 'r' });
  });

  test('with a status and a session alone cannot be about a payment', () => {
    expect(noticeOf({ reference_id: 'r', payment_status: 'SUCCEEDED' })).toMatchObject({
      kind: 'completion',
      status: undefined,
    });
    const type = 'payment.3ds.finished';
    expect(noticeOf({ type, payment_id: 'p' })).toMatchObject({ kind: 'completion', referenceId: undefined });
    expect(noticeOf({ type, ...status })).toMatchObject({ kind: 'status', status: 'FAILED' });
  });

  test.each([
    null,
    undefined,
    'text',
    7,
    [],
    {},
    { payment_status: 'SUCCEEDED' },
    { merchant_request_id: 'm', payment_status: 'SUCCEEDED' },
    { type: 'refund.made', payment_id: 'p' },
    { payment_id: '', payment_status: 'SUCCEEDED' },
    { payment_id: { id: 'p' }, payment_status: 'SUCCEEDED' },
    { type: '3ds', data: null },
  ])('that names no payment and no session says nothing: %j', (body) => {
    expect(noticeOf(body)).toBeUndefined();
  });
});
