import { describe, expect, test } from 'vitest';
import type { Bank } from '../../../src/bank/bank.ts';
import { CREATE, RESUME, SET_UP } from '../support/card-requests.ts';
import { answer, inOrder, ok, type Script, scriptedBank } from '../support/scripted-bank.ts';
import { bankWith, drivenTime, failureOf, testBank } from '../support/test-bank.ts';

const SETUP = '/api/v1/acq/3ds/setup';
const PAYMENTS = '/api/v1/acq/payment';
const PAID = { payment_id: 'pay-1', payment_status: 'PROCESSING' };
const CARD = { number: '4111111111111111', expiry_month: '07', expiry_year: '2031', cvv: '8437' };

/** One call against an acquirer that answers `script`; the request it saw, and what came of the call. */
async function exchange<T>(script: Script, call: (cards: Bank['cards']) => Promise<T>, options = {}) {
  await using server = await scriptedBank(script);
  await using bank = testBank(`${server.baseUrl}/tenant`, options);
  const result = await call(bank.cards);
  expect(server.seen).toHaveLength(1);
  const [{ method, target, body, headers } = { method: '', target: '', body: '', headers: {} }] = server.seen;
  return { result, line: `${method} ${target}`, sent: body === '' ? '' : JSON.parse(body), headers };
}

describe('under our own names', () => {
  test('a set-up carries card and amount and gives the session with all it brings', async () => {
    const session = { reference_id: 'ref-1', data_collection_info: { url: 'https://acs.example', token: 7 }, ttl: 600 };
    const { result, line, sent, headers } = await exchange(answer(200, session), (cards) => cards.setUp(SET_UP));
    expect(line).toBe(`POST /tenant${SETUP}`);
    expect(headers).toMatchObject({ authorization: 'token-1', 'content-type': 'application/json' });
    expect(sent).toEqual({ amount: '49.90', currency: 'EUR', card: { ...CARD, holder_name: 'Zelda Quistgaard' } });
    expect(result).toEqual({
      referenceId: 'ref-1',
      dataCollectionInfo: { url: 'https://acs.example', token: 7 },
    });
  });

  test('a create leaves out what is absent', async () => {
    const { result, line, sent } = await exchange(answer(201, PAID), (cards) => cards.create(CREATE));
    expect(line).toBe(`POST /tenant${PAYMENTS}`);
    expect(sent).toEqual({
      merchant_request_id: 'intent-1',
      payment_type: 'DEBIT',
      amount: '49.90',
      currency: 'EUR',
      card: { ...CARD, holder_name: 'Zelda Quistgaard' },
      three_ds_info: { reference_id: 'ref-1' },
      return_url: 'https://shop.example/back?order=7',
      billing: {
        email: 'zelda@shop.example',
        address: { line1: '1 Canary Row', city: 'Oslo', postcode: '0150', country: 'NO' },
      },
      device_info: { ip: '203.0.113.9', language: 'nb', screen_width: 1440, screen_height: 900, user_agent: 'Agent/1' },
    });
    expect(result).toEqual({ paymentId: 'pay-1', status: 'PROCESSING', nextAction: null });
    const { billing: _billing, deviceInfo: _device, referenceId: _reference, ...bare } = CREATE;
    const { cvv: _cvv, holder_name: _name, ...card } = bare.card;
    const second = await exchange(answer(200, PAID), (cards) => cards.create({ ...bare, card }));
    expect(Object.keys(second.sent)).toEqual([
      'merchant_request_id',
      'payment_type',
      'amount',
      'currency',
      'card',
      'return_url',
    ]);
    expect(Object.keys(second.sent.card)).toEqual(['number', 'expiry_month', 'expiry_year']);
  });

  test('a resume names payment and session, has an id of its own and no card', async () => {
    const { sent, line } = await exchange(answer(200, PAID), (cards) => cards.resume(RESUME));
    expect(line).toBe(`POST /tenant${PAYMENTS}`);
    expect(sent).toEqual({
      merchant_request_id: 'intent-1-resume',
      payment_type: 'DEBIT',
      amount: '49.90',
      currency: 'EUR',
      payment_id: 'pay-1',
      reference_id: 'ref-1',
      three_ds_info: { reference_id: 'ref-1' },
    });
  });

  test('a payment is read from the data of an envelope or from the bare object, unknown members kept', async () => {
    const shown = { ...PAID, payment_id: 17, amount: 49.9, currency: 'eur', merchant_request_id: 'intent-1' };
    const payload = {
      ...shown,
      next_action: { type: '3DS', verify_url: 'https://acs.example/c?a=1', ttl: 5 },
      scheme: 'x',
    };
    const expected = {
      paymentId: '17',
      status: 'PROCESSING',
      nextAction: { type: '3DS', verifyUrl: 'https://acs.example/c?a=1' },
      amount: '49.9',
      currency: 'EUR',
      merchantRequestId: 'intent-1',
    };
    for (const script of [answer(200, payload), ok(payload)]) {
      const { result, line } = await exchange(script, (cards) => cards.retrieve('17'));
      expect(line).toBe(`GET /tenant${PAYMENTS}/17`);
      expect(result).toEqual(expected);
    }
  });

  test.each([200, 202, 400, 402, 403, 409, 422])('a payment under HTTP %i is an answered payment', async (status) => {
    const declined = { ...PAID, payment_status: 'FAILED' };
    const bare = await exchange(answer(status, declined), (cards) => cards.create(CREATE));
    expect(bare.result).toMatchObject({ paymentId: 'pay-1', status: 'FAILED' });
    const inEnvelope = answer(status, { code: 2003, msg: 'x', data: declined });
    expect((await exchange(inEnvelope, (cards) => cards.create(CREATE))).result).toMatchObject({ status: 'FAILED' });
  });

  test.each(['succeeded', 'Succeeded', ' SUCCEEDED '])(
    'a status written as "%s" is the one of the interface',
    async (status) => {
      const { result } = await exchange(answer(200, { ...PAID, payment_status: status }), (c) => c.create(CREATE));
      expect(result.status).toBe('SUCCEEDED');
    },
  );

  test('a status nobody knows is kept as it is', async () => {
    const { result } = await exchange(answer(200, { ...PAID, payment_status: 'On Hold' }), (c) => c.create(CREATE));
    expect(result.status).toBe('On Hold');
  });

  test('a word is cut that is longer than any, and loses what no store takes', async () => {
    const long = 'S'.repeat(10_000);
    const said = {
      payment_status: long,
      amount: long,
      merchant_request_id: long,
      currency: 'e\0u',
      next_action: { type: long },
    };
    const { result } = await exchange(answer(200, { ...PAID, ...said }), (cards) => cards.create(CREATE));
    const cut = `${'S'.repeat(100)}\u2026`;
    expect(result).toMatchObject({ status: cut, amount: cut, merchantRequestId: cut, currency: 'E\ufffdU' });
    expect(result.nextAction?.type).toBe(cut);
    const half = answer(200, JSON.stringify({ ...PAID, payment_status: 'A\ud800' }));
    expect((await exchange(half, (cards) => cards.create(CREATE))).result.status).toBe('A\ufffd');
  });

  test('an address that no browser may be sent to is not given on', async () => {
    const action = (verify_url: string) => answer(200, { ...PAID, next_action: { type: '3DS', verify_url } });
    const shown = async (url: string, options = {}) =>
      (await exchange(action(url), (cards) => cards.create(CREATE), options)).result.nextAction;
    expect(await shown('https://elsewhere.example/')).toEqual({ type: '3DS', verifyUrl: 'https://elsewhere.example/' });
    const listed = { cardVerifyHosts: ['acs.example'] };
    expect(await shown('https://acs.example/c', listed)).toEqual({ type: '3DS', verifyUrl: 'https://acs.example/c' });
    expect(await shown('https://elsewhere.example/', listed)).toEqual({ type: '3DS', verifyUrl: null });
    expect(await shown('javascript:alert(1)')).toEqual({ type: '3DS', verifyUrl: null });
    expect(await shown('http://127.0.0.1:9/c')).toEqual({ type: '3DS', verifyUrl: 'http://127.0.0.1:9/c' });
    const addressAlone = answer(200, { ...PAID, next_action: { verify_url: 'https://acs.example/' } });
    expect((await exchange(addressAlone, (cards) => cards.create(CREATE))).result.nextAction?.type).toBe('3DS');
  });
});

describe('retrieving', () => {
  test('asks again like any read, and never believes an answer about another payment', async () => {
    const time = drivenTime();
    const other = answer(200, { ...PAID, payment_id: 'pay-2' });
    const { bank, server } = await bankWith(
      inOrder(answer(500, ''), answer(200, '<html>'), other, answer(200, PAID)),
      time,
    );
    expect(await bank.cards.retrieve('pay-1')).toMatchObject({ paymentId: 'pay-1' });
    expect(server.seen).toHaveLength(4);
    await using wrong = await scriptedBank(other);
    await using second = testBank(wrong.baseUrl, drivenTime());
    expect(await failureOf(second.cards.retrieve('pay-1'))).toMatchObject({ outcome: 'ambiguous', retryable: true });
  });

  test.each(['../payment', 'a/b', '', 'payment', 'a?b'])('with the id "%s" asks nothing', async (paymentId) => {
    const { bank, server } = await bankWith(answer(200, PAID));
    for (const call of [bank.cards.retrieve(paymentId), bank.cards.retrieveRaw(paymentId)]) {
      expect(await failureOf(call)).toMatchObject({ outcome: 'not-sent', retryable: false });
    }
    expect(server.seen).toEqual([]);
  });

  test('for people shows the payment as it came, without what may be card data', async () => {
    const shown = { state: 'odd', card: { number: '4111', brand: 'x' }, memo: 'card 4111 1111 1111 1111 of 2031' };
    const { result } = await exchange(answer(200, shown), (cards) => cards.retrieveRaw('pay-1'));
    expect(result).toEqual({
      state: 'odd',
      card: { number: '[masked]', brand: 'x' },
      memo: 'card [masked] of 2031',
    });
    const { bank } = await bankWith(answer(200, { code: 2005, msg: 'x' }));
    expect(await failureOf(bank.cards.retrieveRaw('pay-1'))).toMatchObject({ code: 2005 });
  });
});
