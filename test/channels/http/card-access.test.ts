import { expect, it } from 'vitest';
import { CVV, PAN } from '../../bank/cards/cards.ts';
import { PAGE } from './fake-cards.ts';
import { openGateway, type RunningGateway } from './running-gateway.ts';

const TOKENS = [{ name: 'shop', token: 'token-of-shop' }];
const CARD = { number: PAN, expiry_month: '03', expiry_year: '2039', cvv: CVV };
const BASE = '/v1/card-payments/order-1';

const bearer = (token: string, origin?: string) => ({
  authorization: `Bearer ${token}`,
  ...(origin === undefined ? {} : { origin }),
});

async function withPayment(tokens: typeof TOKENS = []): Promise<{ gateway: RunningGateway; secret: string }> {
  const gateway = await openGateway(tokens);
  const { document } = await gateway.send('/v1/card-payments', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(tokens.length === 0 ? {} : bearer('token-of-shop')) },
    body: JSON.stringify({
      merchant_request_id: 'order-1',
      amount: '49.90',
      currency: 'EUR',
      return_url: 'http://127.0.0.1:9/back',
      billing: { country: 'AU' },
    }),
  });
  return { gateway, secret: document.client_secret };
}

it.each([[[]], [TOKENS]])(
  'the page of a payment shows its secret and does what a page does (tokens %#)',
  async (tokens) => {
    const { gateway, secret } = await withPayment(tokens);
    const { send, cards } = gateway;
    const headers = bearer(secret, PAGE);
    const shown = await send(BASE, { headers });
    expect(shown).toMatchObject({
      status: 200,
      document: { card_payment: { state: 'awaiting-card', url: null, workflow_id: null } },
    });
    expect(shown.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(shown.headers.get('vary')).toBe('origin');
    const given = await send(`${BASE}/card`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ card: CARD }),
    });
    expect(given).toMatchObject({ status: 200, document: { accepted: true } });
    for (const name of ['fingerprint', 'returned']) {
      expect(await send(`${BASE}/${name}`, { method: 'POST', headers })).toMatchObject({
        status: 200,
        document: { accepted: true },
      });
    }
    expect(cards.reported.map(({ name }) => name)).toEqual(['provideCard', 'fingerprintDone', 'cardholderReturned']);
    const [provided] = cards.reported;
    const { handle } = (provided?.payload ?? {}) as { handle: string };
    expect(cards.vault.use(handle, 'order-1')).toMatchObject({
      card: { number: PAN },
      returnUrl: 'http://127.0.0.1:9/back',
      billing: { country: 'AU' },
    });
  },
);

it('a page with a secret can do nothing that is for the merchant', async () => {
  const { gateway, secret } = await withPayment(TOKENS);
  const headers = { ...bearer(secret), 'content-type': 'application/json' };
  for (const path of ['/v1/card-payments', `${BASE}/amount`, `${BASE}/cancel`]) {
    const request = path === '/v1/card-payments' ? { headers } : { method: 'POST', headers, body: '{"amount":"1.00"}' };
    expect((await gateway.send(path, request)).status).toBe(401);
  }
  expect(gateway.cards.reported).toEqual([]);
});

it.each([
  ['of another payment', [], 401],
  ['of another payment', TOKENS, 401],
] as const)('a secret %s is refused (tokens %#)', async (_what, tokens, status) => {
  const { gateway, secret } = await withPayment([...tokens]);
  const refused = [
    await gateway.send(BASE, { headers: bearer(`${secret}x`) }),
    await gateway.send('/v1/card-payments/order-9', { headers: bearer(secret) }),
  ];
  expect(refused.map((it) => it.status)).toEqual([status, status]);
  expect(refused.map(({ document }) => document.error.code)).toEqual(['token-refused', 'token-refused']);
});

it('a secret is void when the payment is asked for again', async () => {
  const { gateway, secret } = await withPayment();
  const body = JSON.stringify({
    merchant_request_id: 'order-1',
    amount: '49.90',
    currency: 'EUR',
    return_url: 'http://127.0.0.1:9/back',
  });
  const headers = { 'content-type': 'application/json' };
  const { document } = await gateway.send('/v1/card-payments', { method: 'POST', headers, body });
  expect((await gateway.send(BASE, { headers: bearer(secret) })).status).toBe(401);
  expect((await gateway.send(BASE, { headers: bearer(document.client_secret) })).status).toBe(200);
});

it('pages of other origins are not answered, not even with the secret', async () => {
  const { gateway, secret } = await withPayment();
  const refused = await gateway.send(BASE, { headers: bearer(secret, 'https://evil.example') });
  expect(refused).toMatchObject({ status: 403, document: { error: { code: 'origin-refused' } } });
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  expect((await gateway.send(BASE, { headers: { origin: PAGE } })).status).toBe(403);
  expect((await gateway.send('/v1/card-payments', { headers: { origin: PAGE } })).status).toBe(403);
});

it('a preflight is answered for pages that are known, on their routes', async () => {
  const { gateway } = await withPayment(TOKENS);
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const preflight = (path: string, origin: string) =>
    gateway.send(path, { method: 'OPTIONS', headers: { ...asked, origin } });
  for (const path of [BASE, `${BASE}/card`, `${BASE}/fingerprint`, `${BASE}/returned`]) {
    const allowed = await preflight(path, PAGE);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization, content-type');
    expect((await preflight(path, 'https://evil.example')).status).toBe(403);
  }
  for (const path of [`${BASE}/cancel`, '/v1/card-payments']) {
    expect((await preflight(path, PAGE)).headers.get('access-control-allow-origin')).toBeNull();
  }
});

it('a refusal can be read by the page', async () => {
  const { gateway, secret } = await withPayment();
  const headers = { ...bearer(secret, PAGE), 'content-type': 'application/json' };
  const body = JSON.stringify({ card: { ...CARD, number: '1' } });
  const refused = await gateway.send(`${BASE}/card`, { method: 'POST', headers, body });
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([422, PAGE]);
  gateway.cards.answer = { outcome: 'refused', why: 'the card payment is processing, not awaiting-card' };
  const late = await gateway.send(`${BASE}/card`, { method: 'POST', headers, body: JSON.stringify({ card: CARD }) });
  expect(late).toMatchObject({ status: 409, document: { error: { code: 'not-now' } } });
});

it('a card needs to know where its cardholder comes back to', async () => {
  const { gateway, secret } = await withPayment();
  gateway.cards.vault.close();
  const headers = { ...bearer(secret), 'content-type': 'application/json' };
  const give = (more: object) =>
    gateway.send(`${BASE}/card`, { method: 'POST', headers, body: JSON.stringify({ card: CARD, ...more }) });
  expect(await give({})).toMatchObject({ status: 400, document: { error: { code: 'return-url-missing' } } });
  expect((await give({ return_url: 'https://evil.example' })).status).toBe(400);
  expect((await give({ return_url: 'http://localhost:9/' })).status).toBe(200);
});
