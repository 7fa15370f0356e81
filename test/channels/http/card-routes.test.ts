import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../../src/domain/identity.ts';
import { CVV, HOLDER, PAN } from '../../bank/cards/cards.ts';
import { type Answered, openGateway, type RunningGateway } from './running-gateway.ts';

const CARD = { number: PAN, expiry_month: 3, expiry_year: '39', cvv: CVV, holder_name: HOLDER };
const ASKED = {
  merchant_request_id: 'order-1',
  amount: '49.9',
  currency: 'EUR',
  return_url: 'http://127.0.0.1:9/back',
};
const BILLING = { email: 'odette@quillfeather.example', country: 'AU' };

const post = ({ send }: RunningGateway, path: string, body: unknown): Promise<Answered> =>
  send(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const create = (gateway: RunningGateway, more: object = {}) =>
  post(gateway, '/v1/card-payments', { ...ASKED, ...more });

describe('a card payment asked for', () => {
  it('with its card is claimed and started with a handle; the card is in the vault', async () => {
    const gateway = await openGateway();
    const { cards, proxy } = gateway;
    const taken = await create(gateway, { card: CARD, billing: BILLING, device_info: { screen_width: 800 } });
    expect(taken).toMatchObject({
      status: 202,
      document: {
        schemaVersion: 1,
        card_payment: { merchant_request_id: 'order-1', state: 'received', amount: '49.90', currency: 'EUR' },
        client_secret: expect.stringMatching(/^[\w-]{43}$/),
      },
    });
    const [input] = cards.started;
    expect(input).toEqual({
      merchant_request_id: 'order-1',
      amount: '49.90',
      currency: 'EUR',
      payment_type: 'DEBIT',
      three_ds: 'setup',
      card: {
        handle: expect.any(String),
        vault: 'payouts-vault/v',
        bin: '401288',
        last_four: '1881' as const,
        expires_at: expect.any(Number),
      },
    });
    expect(cards.vault.use(input?.card?.handle ?? '', 'order-1')).toEqual({
      card: { number: PAN, expiry_month: '03', expiry_year: '2039', cvv: CVV, holder_name: HOLDER },
      returnUrl: ASKED.return_url,
      billing: BILLING,
      deviceInfo: { screen_width: 800 },
    });
    const record = await proxy.store.cards.get('order-1');
    expect(record).toMatchObject({
      workflowId: 'card/order-1',
      clientSecretSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(record)).not.toContain(taken.document.client_secret);
  });

  it('again is the same payment with a new secret, and is given the card if it waits for one', async () => {
    const gateway = await openGateway();
    const { cards } = gateway;
    const first = await create(gateway);
    const again = await create(gateway, { amount: '49.90', card: CARD });
    expect([first.status, again.status, cards.started.length]).toEqual([202, 200, 1]);
    expect(again.document.client_secret).not.toBe(first.document.client_secret);
    expect(cards.reported).toMatchObject([{ id: 'order-1', name: 'provideCard', payload: { last_four: '1881' } }]);
    cards.states.set('order-1', 'processing');
    expect((await create(gateway, { card: CARD })).status).toBe(200);
    expect(cards.reported).toHaveLength(1);
  });

  it('again after the gateway died behind the claim is started', async () => {
    const gateway = await openGateway();
    gateway.proxy.temporal.down = true;
    expect((await create(gateway, { card: CARD })).status).toBe(503);
    gateway.proxy.temporal.down = false;
    expect((await create(gateway, { card: CARD })).status).toBe(200);
    expect(gateway.cards.started).toHaveLength(1);
  });

  it('again with another amount, currency or type is refused', async () => {
    const gateway = await openGateway();
    const { document } = await create(gateway);
    for (const more of [{ amount: '49.91' }, { currency: 'USD' }, { payment_type: 'AUTH' }]) {
      expect(await create(gateway, more)).toMatchObject({ status: 409, document: { error: { code: 'id-reused' } } });
    }
    const headers = { authorization: `Bearer ${document.client_secret}` };
    expect((await gateway.send('/v1/card-payments/order-1', { headers })).status).toBe(200);
  });

  it('without an id is refused: asked for again, it would take the money twice', async () => {
    const gateway = await openGateway();
    const refused = await create(gateway, { merchant_request_id: undefined });
    expect(refused).toMatchObject({
      status: 400,
      document: {
        error: { code: 'usage' },
        findings: [
          { column: 'merchant_request_id', rule: 'member-missing', message: expect.stringContaining('is required') },
        ],
      },
    });
    expect(await gateway.proxy.store.cards.list(9)).toEqual([]);
  });

  it('that ended is returned as it ended, and nothing is started', async () => {
    const gateway = await openGateway();
    await create(gateway);
    await gateway.proxy.store.cards.change('order-1', { state: 'succeeded', paymentId: 'pay-1', at: 5 });
    const again = await create(gateway, { card: CARD });
    expect(again).toMatchObject({
      status: 200,
      document: { card_payment: { state: 'succeeded', payment_id: 'pay-1', payment_status: 'SUCCEEDED' } },
    });
    expect(gateway.cards.started).toHaveLength(1);
  });
});

describe('a request that is refused', () => {
  it.each([
    ['a card number as id', { merchant_request_id: PAN }, 400, 'usage'],
    ['a card number in an id', { merchant_request_id: `order-${PAN}` }, 400, 'usage'],
    ['a reference of a payout as id', { merchant_request_id: referenceOf('u-1001', 'INV-7') }, 400, 'usage'],
    ['a card number in a name', { by: `alice ${PAN.replace(/(?<=^(.{4})+)/g, ' ')}` }, 400, 'usage'],
    ['a control character in a name', { by: 'alice\u0000' }, 400, 'usage'],
    ['an amount that is a number', { amount: 49.9 }, 400, 'usage'],
    ['too many decimals', { amount: '49.901' }, 400, 'amount-refused'],
    ['no amount above 0', { amount: '0.00' }, 400, 'amount-refused'],
    ['a member that is not known', { [`x${PAN}`]: 1 }, 400, 'usage'],
    ['a card number that is wrong', { card: { ...CARD, number: '4012888888881882' } }, 422, 'card-invalid'],
    ['a card that has expired', { card: { ...CARD, expiry_year: 20 } }, 422, 'card-invalid'],
    ['a return_url elsewhere', { return_url: 'https://shop.example/back' }, 400, 'return-url-refused'],
    ['a return_url with credentials', { return_url: `http://${CVV}:x@127.0.0.1/back` }, 400, 'return-url-refused'],
    ['a return_url that is a script', { return_url: 'javascript:alert(1)' }, 400, 'return-url-refused'],
  ])('for %s shows no value and claims nothing', async (_why, more, status, code) => {
    const gateway = await openGateway();
    const refused = await create(gateway, { card: CARD, billing: BILLING, ...more });
    expect(refused).toMatchObject({ status, document: { schemaVersion: 1, error: { code } } });
    // The id of the request may have any digits.
    const { requestId: _, instance: __, ...said } = refused.document;
    expect(JSON.stringify(said)).not.toMatch(new RegExp(`${PAN}|4012888888881882|${CVV}|Quillfeather`, 'i'));
    expect(await gateway.proxy.store.cards.list(9)).toEqual([]);
    expect(gateway.cards.started).toEqual([]);
  });

  it('for several reasons has all of them in one answer', async () => {
    const gateway = await openGateway();
    const card = { number: '4012888888881882', expiry_month: 13, [`x${PAN}`]: 1, pan: 1 };
    const refused = await create(gateway, {
      ...{ amount: '1.234', currency: 'EUR', payment_type: 'REFUND', return_url: undefined, three_d: 1 },
      ...{ card, billing: { country: 'Germany', street: HOLDER } },
    });
    expect(refused).toMatchObject({ status: 400, document: { error: { code: 'usage' } } });
    const { findings } = refused.document;
    expect(findings.map(({ file, column, rule }: Record<string, string>) => `${file} ${column} ${rule}`)).toEqual([
      'request payment_type member-invalid',
      'request card member-unknown',
      'request billing.country member-invalid',
      'request billing.street member-unknown',
      'request three_d member-unknown',
      'request amount amount-refused',
      'request return_url return-url-missing',
      'card expiry_year member-missing',
      'card pan member-unknown',
      'card number card-number-invalid',
      'card expiry_month expiry-invalid',
    ]);
    expect(findings.every(({ value, message }: Record<string, unknown>) => value === null && message !== '')).toBe(
      true,
    );
    expect(JSON.stringify(refused.document)).not.toMatch(new RegExp(`${PAN}|4012888888881882|Quillfeather`, 'i'));
  });

  it('names columns and rules of a card', async () => {
    const { document } = await create(await openGateway(), { card: { ...CARD, number: '1', cvv: '12' } });
    expect(document.findings).toMatchObject([
      { column: 'number', rule: 'card-number-invalid', value: null },
      { column: 'cvv', rule: 'cvv-invalid', value: null },
    ]);
  });

  it.each([
    ['no JSON', `{"card": ${PAN}`, 'application/json', 400],
    ['a form', 'a=b', 'application/x-www-form-urlencoded', 415],
    ['plain text', '{}', 'text/plain', 415],
    ['too long', JSON.stringify({ x: 'x'.repeat(64 * 1024) }), 'application/json', 413],
  ])('for a body that is %s', async (_why, body, type, status) => {
    const { send } = await openGateway();
    const refused = await send('/v1/card-payments', { method: 'POST', body, headers: { 'content-type': type } });
    expect([refused.status, JSON.stringify(refused.document).includes(PAN)]).toEqual([status, false]);
  });

  it('for a vault that is full says when to come again, and keeps no card that nobody took', async () => {
    const gateway = await openGateway();
    const ids = ['a', 'b', 'c', 'd'];
    const statuses = [];
    for (const id of ids) statuses.push((await create(gateway, { merchant_request_id: id, card: CARD })).status);
    expect(statuses).toEqual([202, 202, 202, 503]);
    for (const { card } of gateway.cards.started) gateway.cards.vault.forget(card?.handle ?? '');
    gateway.proxy.temporal.down = true;
    for (const id of ['e', 'f', 'g', 'h']) await create(gateway, { merchant_request_id: id, card: CARD });
    gateway.proxy.temporal.down = false;
    expect((await create(gateway, { merchant_request_id: 'i', card: CARD })).status).toBe(202);
  });

  it('leaves nothing of the card in the log', async () => {
    const gateway = await openGateway();
    await create(gateway, { card: CARD, billing: BILLING });
    gateway.proxy.temporal.down = true;
    expect((await create(gateway, { merchant_request_id: 'order-2', card: CARD, billing: BILLING })).status).toBe(503);
    await create(gateway, { card: { ...CARD, cvv: `${CVV}x` } });
    expect(gateway.log.length).toBeGreaterThan(2);
    expect(gateway.log.join()).not.toMatch(new RegExp(`${PAN}|"${CVV}"|Quillfeather`, 'i'));
  });
});

describe('hosts of PAYOUTS_CARD_RETURN_HOSTS', () => {
  it.each([
    ['https://shop.example/back?x=1', 202],
    ['https://pay.example:8443/back', 202],
    ['https://pay.example/back', 400],
    ['http://shop.example/back', 400],
    ['https://shop.example.evil/back', 400],
    ['http://127.0.0.1:9/back', 400],
  ])('%s is answered with %i', async (url, status) => {
    const gateway = await openGateway();
    Object.assign(gateway.app.config.cards, { returnHosts: ['shop.example', 'pay.example:8443'] });
    expect((await create(gateway, { return_url: url })).status).toBe(status);
  });
});

describe('a card payment that is known', () => {
  it('is listed, shown in the state of its workflow, changed and cancelled', async () => {
    const gateway = await openGateway();
    const { send, cards } = gateway;
    await create(gateway);
    cards.states.set('order-1', 'awaiting-cardholder');
    expect((await send('/v1/card-payments')).document.card_payments).toMatchObject([
      { merchant_request_id: 'order-1' },
    ]);
    expect((await send('/v1/card-payments/order-1')).document.card_payment).toMatchObject({
      state: 'awaiting-cardholder',
      next_action: { type: '3DS', verify_url: 'https://acs.example/v' },
      data_collection_info: { token: 't' },
      workflow_id: 'card/order-1',
      url: 'http://temporal-ui.example/namespaces/payouts/workflows/card%2Forder-1',
      ended_at: null,
      contradicted: false,
    });
    cards.answer = { outcome: 'answered', answer: { amount: '39.00' } };
    const changed = await post(gateway, '/v1/card-payments/order-1/amount', { amount: '39', by: 'alice' });
    expect(changed).toMatchObject({ status: 200, document: { schemaVersion: 1, amount: '39.00' } });
    cards.answer = { outcome: 'answered', answer: { outcome: 'cancelled' } };
    const cancelled = await send('/v1/card-payments/order-1/cancel', { method: 'POST' });
    expect(cancelled).toMatchObject({ status: 200, document: { outcome: 'cancelled' } });
    expect(cards.reported).toMatchObject([
      { name: 'changeAmount', payload: { amount: '39.00', by: 'alice' } },
      { name: 'cancel', payload: { by: 'gateway' } },
    ]);
    cards.states.set('order-1', 'unanswered');
    expect((await send('/v1/card-payments/order-1')).document.card_payment.state).toBe('received');
    // Until the store shows it, nobody but a workflow says so.
    cards.states.set('order-1', 'succeeded');
    expect((await send('/v1/card-payments/order-1')).document.card_payment.state).toBe('processing');
  });

  it('names each change of the amount with a key: the same update for the same key, and another amount is none', async () => {
    const gateway = await openGateway();
    await create(gateway);
    const { cards, send } = gateway;
    cards.answer = { outcome: 'answered', answer: { amount: '39.00' } };
    const change = (amount: string, key: string) =>
      send('/v1/card-payments/order-1/amount', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ amount }),
      });
    for (const key of ['first', 'first', 'second']) expect(await change('39', key)).toMatchObject({ status: 200 });
    const [first, again, second] = cards.reported.map(({ updateId }) => updateId);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect([again === first, second === first]).toEqual([true, false]);
    expect(await change('40', 'first')).toMatchObject({
      status: 422,
      document: { error: { code: 'idempotency-key-reused' } },
    });
    expect(await change('39', 'with a blank')).toMatchObject({ status: 400 });
  });

  it('is answered why an update is refused, or that nothing runs', async () => {
    const gateway = await openGateway();
    await create(gateway);
    gateway.cards.answer = { outcome: 'refused', why: 'too late: the payment was sent' };
    const path = '/v1/card-payments/order-1';
    expect(await post(gateway, `${path}/amount`, { amount: '39' })).toMatchObject({
      status: 409,
      document: { error: { code: 'not-now', message: 'Not possible now: too late: the payment was sent.' } },
    });
    gateway.cards.answer = { outcome: 'not-running' };
    expect(await post(gateway, `${path}/cancel`, {})).toMatchObject({
      status: 409,
      document: { error: { code: 'not-running' } },
    });
    const why = 'Not possible now: too late: the payment was sent.';
    expect((await gateway.proxy.store.auditEntriesOf('order-1')).slice(-2)).toMatchObject([
      { actor: 'gateway', action: 'asked to changeAmount', detail: { amount: '39.00', outcome: 'refused', why } },
      { actor: 'gateway', action: 'asked to cancel', detail: { outcome: 'refused' } },
    ]);
    expect((await post(gateway, `${path}/amount`, { amount: '39.999' })).status).toBe(400);
    const missing = [
      gateway.send('/v1/card-payments/x'),
      post(gateway, '/v1/card-payments/x/amount', { amount: '1' }),
      post(gateway, '/v1/card-payments/x/cancel', {}),
      post(gateway, '/v1/card-payments/x/card', { card: CARD }),
    ];
    for (const answer of await Promise.all(missing)) {
      expect(answer).toMatchObject({ status: 404, document: { error: { code: 'unknown-id' } } });
    }
  });
});
