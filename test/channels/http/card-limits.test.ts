import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CVV, PAN } from '../../bank/cards/cards.ts';
import { PAGE } from './fake-cards.ts';
import { type Answered, openGateway, type RunningGateway } from './running-gateway.ts';

const CARD = { number: PAN, expiry_month: 3, expiry_year: '39', cvv: CVV };
const BACK = 'http://127.0.0.1:9/back';
const ASKED = { merchant_request_id: 'order-1', amount: '49.90', currency: 'EUR', return_url: BACK };
const BASE = '/v1/card-payments/order-1';
const TOKENS = [{ name: 'shop', token: 'token-of-shop' }];

const post = (
  { send }: RunningGateway,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> =>
  send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
const create = (gateway: RunningGateway, more: object = {}) =>
  post(gateway, '/v1/card-payments', { ...ASKED, ...more });

const handleIn = (reported: { payload?: unknown } | undefined): string => {
  const { handle } = (reported?.payload ?? {}) as { handle?: string };
  return handle ?? '';
};

describe('the address that a cardholder comes back to', () => {
  it.each([
    ['http://127.0.0.1\\@evil.example/', 'http://127.0.0.1/@evil.example/'],
    ['http:\\\\localhost/back', 'http://localhost/back'],
    ['  http://127.0.0.1:9/back\n', BACK],
  ])('%j is kept as a browser reads it', async (given, kept) => {
    const gateway = await openGateway();
    const { vault, started, reported } = gateway.cards;
    expect((await create(gateway, { return_url: given, card: CARD })).status).toBe(202);
    expect(vault.use(started[0]?.card?.handle ?? '', 'order-1')?.returnUrl).toBe(kept);
    expect(vault.formOf('order-1')?.returnUrl).toBe(kept);
    gateway.cards.states.set('order-1', 'awaiting-card');
    expect((await post(gateway, `${BASE}/card`, { card: CARD, return_url: given })).status).toBe(200);
    expect(vault.use(handleIn(reported[0]), 'order-1')?.returnUrl).toBe(kept);
  });

  it("is the sandbox's own checkout page, with any hosts set", async () => {
    const gateway = await openGateway();
    Object.assign(gateway.app.config.cards, { returnHosts: ['shop.example'] });
    gateway.checkoutAt('http://127.0.0.1:9');
    expect((await create(gateway)).status).toBe(202);
    expect((await create(gateway, { return_url: 'http://127.0.0.1:99/back' })).status).toBe(400);
  });
});

describe('a page that shows the client secret alone', () => {
  it('is slowed down when it asks too often, by itself alone, and not before its browser may ask', async () => {
    const gateway = await openGateway([], { perMinute: 3 });
    const pages: { path: string; headers: Record<string, string> }[] = [];
    for (const id of ['order-1', 'order-2']) {
      const { document } = await create(gateway, { merchant_request_id: id });
      pages.push({ path: `/v1/card-payments/${id}`, headers: { authorization: `Bearer ${document.client_secret}` } });
    }
    const [page, other] = pages as [(typeof pages)[0], (typeof pages)[0]];
    const open = ({ path, headers }: typeof page) => gateway.send(path, { headers });
    for (let n = 0; n < 3; n += 1) expect((await open(page)).status).toBe(200);
    expect(await open(page)).toMatchObject({ status: 429, document: { error: { code: 'too-many-requests' } } });
    expect((await open(other)).status).toBe(200);
    const preflight = { origin: PAGE, 'access-control-request-method': 'GET' };
    const asked = Array.from({ length: 5 }, () => gateway.send(page.path, { method: 'OPTIONS', headers: preflight }));
    for (const { status } of await Promise.all(asked)) expect(status).toBe(204);
  });

  it('notifies its workflow no more than thirty times a minute that the browser came back', async () => {
    const gateway = await openGateway();
    const { document } = await create(gateway);
    const headers = { authorization: `Bearer ${document.client_secret}` };
    const back = () => gateway.send(`${BASE}/returned`, { method: 'POST', headers });
    const statuses = (await Promise.all(Array.from({ length: 40 }, back))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect(gateway.cards.reported).toHaveLength(30);
  });

  it('is worked on for a few requests at once', async () => {
    const gateway = await openGateway([], { atOnce: 2 });
    const { document } = await create(gateway);
    const headers = { authorization: `Bearer ${document.client_secret}` };
    const open = () => gateway.send(BASE, { headers });
    const gate = Promise.withResolvers<'unanswered'>();
    let waiting = 0;
    gateway.proxy.temporal.state = async () => {
      waiting += 1;
      return gate.promise;
    };
    const first = [open(), open()];
    await expect.poll(() => waiting).toBe(2);
    expect(await open()).toMatchObject({ status: 429, document: { error: { code: 'too-many-at-once' } } });
    gate.resolve('unanswered');
    for (const { status } of await Promise.all(first)) expect(status).toBe(200);
  });

  it('is not kept busy by requests whose client goes away while they are checked', async () => {
    const gateway = await openGateway([], { atOnce: 2 });
    const { document } = await create(gateway);
    const headers = { authorization: `Bearer ${document.client_secret}` };
    const { cards } = gateway.app.store;
    const gone = Promise.withResolvers<void>();
    let waiting = 0;
    const get: typeof cards.get = async (id) => {
      waiting += 1;
      await gone.promise;
      return cards.get(id);
    };
    Object.assign(gateway.app.store, { cards: { ...cards, get } });
    const left = [1, 2].map(() => request(gateway.url + BASE, { headers }).on('error', () => {}));
    for (const each of left) each.end();
    await expect.poll(() => waiting).toBe(2);
    for (const each of left) each.destroy();
    await setTimeout(100);
    gone.resolve();
    expect((await gateway.send(BASE, { headers })).status).toBe(200);
  });

  it('gives one card after the other without saying again where it comes back to', async () => {
    const gateway = await openGateway();
    const { document } = await create(gateway, { card: CARD, billing: { country: 'AU' } });
    const headers = { authorization: `Bearer ${document.client_secret}` };
    for (const _ of [1, 2]) expect((await post(gateway, `${BASE}/card`, { card: CARD }, headers)).status).toBe(200);
    const { vault, reported } = gateway.cards;
    const { returnUrl, billing } = vault.use(handleIn(reported[1]), 'order-1') ?? {};
    expect([returnUrl, billing]).toEqual([BACK, { country: 'AU' }]);
  });

  it('is never refused for what was said beside other cards', async () => {
    const gateway = await openGateway();
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      expect((await create(gateway, { merchant_request_id: id })).status).toBe(202);
    }
  });
});

it('a card for a payment whose worker does not answer is not taken, and not kept', async () => {
  const gateway = await openGateway();
  await create(gateway);
  const { cards } = gateway;
  cards.states.set('order-1', 'unanswered');
  expect((await create(gateway)).status).toBe(200);
  const noWorker = { status: 503, document: { error: { code: 'no-worker' } } };
  for (const _ of [1, 2, 3, 4]) expect(await create(gateway, { card: CARD })).toMatchObject(noWorker);
  cards.states.set('order-1', 'awaiting-card');
  cards.answer = { outcome: 'no-worker' };
  for (const _ of [1, 2, 3, 4]) expect(await create(gateway, { card: CARD })).toMatchObject(noWorker);
  expect(await post(gateway, `${BASE}/card`, { card: CARD })).toMatchObject(noWorker);
  // The vault of the test keeps three cards.
  cards.answer = { outcome: 'answered', answer: { accepted: true } };
  for (const _ of [1, 2, 3]) expect((await create(gateway, { card: CARD })).status).toBe(200);
});

it.each([[[]], [TOKENS]])('the store is asked for nothing that is no id (tokens %#)', async (tokens) => {
  const gateway = await openGateway(tokens);
  const { store } = gateway.proxy;
  const refuseControls = (id: string): void => {
    if (/\p{Cc}/u.test(id)) throw new Error('invalid byte sequence for encoding "UTF8": 0x00');
  };
  const { get } = store.cards;
  store.cards.get = async (id) => {
    refuseControls(id);
    return get(id);
  };
  const { batch } = store;
  store.batch = async (id) => {
    refuseControls(id);
    return batch.call(store, id);
  };
  const merchant: Record<string, string> = tokens.length === 0 ? {} : { authorization: 'Bearer token-of-shop' };
  const bad = '/v1/card-payments/%00';
  expect((await gateway.send(bad, { headers: merchant })).status).toBe(404);
  expect((await gateway.send(bad, { headers: { authorization: 'Bearer secret' } })).status).toBe(401);
  for (const [path, body] of [
    [`${bad}/amount`, { amount: '1' }],
    [`${bad}/cancel`, {}],
    [`${bad}/card`, { card: CARD }],
  ] as const) {
    expect((await post(gateway, path, body, merchant)).status).toBe(404);
  }
  expect((await gateway.send('/v1/batches/%00', { headers: merchant })).status).toBe(404);
  expect((await gateway.send('/v1/batches/x/pause?by=a%00', { method: 'POST', headers: merchant })).status).toBe(400);
});

it.each([
  ['amount', { amount: '39', by: `alice ${PAN}` }],
  ['cancel', { by: `card ${PAN}` }],
  ['cancel', { reason: '4012-8888-8888-1881 was wrong' }],
  ['cancel', { reason: 'line\nbreak' }],
])('a text that would be kept for %s holds no card number: %j', async (route, body) => {
  const gateway = await openGateway();
  await create(gateway);
  const refused = await post(gateway, `${BASE}/${route}`, body);
  expect([refused.status, refused.document.error.message]).toEqual([
    400,
    expect.stringContaining('must not contain a card number'),
  ]);
  expect(JSON.stringify(refused.document)).not.toMatch(/4012/);
  expect(gateway.cards.reported).toEqual([]);
});

it('a page of this machine is answered by its own name alone, with the secret as well', async () => {
  const gateway = await openGateway(TOKENS);
  const merchant = { authorization: 'Bearer token-of-shop' };
  const { document } = await post(gateway, '/v1/card-payments', ASKED, merchant);
  const statusFor = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const authorization = `Bearer ${document.client_secret}`;
      const sent = request(gateway.url + BASE, { headers: { ...headers, authorization } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });
  expect(await statusFor({ origin: gateway.url })).toBe(200);
  expect(await statusFor({ host: 'rebound.example', origin: 'http://rebound.example' })).toBe(403);
});

it.each([
  ['/v1/card-payments/%zz', 400, 'bad-request'],
  [`/v1/card-payments/${'x'.repeat(201)}`, 414, 'address-too-long'],
])(
  'an address that cannot be read is answered with a document that does not show it: %s',
  async (path, status, code) => {
    const { send } = await openGateway();
    const answer = await send(path);
    expect(answer).toMatchObject({ status, document: { schemaVersion: 1, error: { code }, findings: [] } });
    expect(JSON.stringify(answer.document)).not.toContain(path.slice(-3));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  },
);
