import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { gatewayAddress, gatewayClient } from '../../../src/channels/http/gateway-client.ts';
import { keyToken } from '../../../src/people/signing/key-token.ts';
import { newKey } from '../../../src/people/signing/signing.ts';
import { endsWith } from '../../support/ends-with.ts';

/** A server that answers everything alike. */
async function answering(status: number, body: string, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const refusal = (code: string): string =>
  JSON.stringify({ schemaVersion: 1, error: { code, message: 'Refused.', hint: 'Do this.' }, findings: [] });

it.each([
  [200, '<!doctype html>', 2, 'no-gateway'],
  [404, 'not found', 2, 'no-gateway'],
  [200, '{"ok":true}', 2, 'no-gateway'],
  [200, 'null', 2, 'no-gateway'],
  [302, '', 2, 'no-gateway'],
  [502, '<h1>Bad Gateway</h1>', 7, 'gateway-unreachable'],
  [401, refusal('token-refused'), 4, 'token-refused'],
  [409, refusal('id-reused'), 2, 'id-reused'],
  [409, refusal('not-now'), 5, 'not-now'],
  [422, refusal('card-invalid'), 3, 'card-invalid'],
  [503, refusal('no-worker'), 7, 'no-worker'],
])('an answer with %i and %s is an end of the command', async (status, body, exit, code) => {
  const url = await answering(status, body, status === 302 ? { location: 'https://login.example/' } : {});
  const client = gatewayClient(gatewayAddress(url), () => undefined);
  await expect(client.get('/v1/card-payments')).rejects.toMatchObject({ kind: endsWith(exit), code });
});

it.each([
  ['token-refused', 'or PAYOUTS_GATEWAY_TOKEN to '],
  ['id-reused', 'Do this.'],
])('a refusal as %s has a hint for the user of a command', async (code, hint) => {
  const client = gatewayClient(await answering(401, refusal(code)), () => undefined);
  await expect(client.get('/v1/card-payments')).rejects.toMatchObject({ hint: expect.stringContaining(hint) });
});

it('a refused token of a key is not asked for again: the key or the address is wrong', async () => {
  const url = await answering(401, refusal('token-refused'));
  const client = gatewayClient(url, () => keyToken(newKey().privateKey, url, Date.now()));
  const hint = expect.stringMatching(new RegExp(`no such key, or its origin is not ${url}:`));
  await expect(client.get('/v1/inbox')).rejects.toMatchObject({ code: 'token-refused', hint });
});

it('an answer that is no refusal is the document', async () => {
  const url = await answering(200, '{"schemaVersion":1,"card_payments":[]}');
  expect(await gatewayClient(url, () => 'token').get('/v1/card-payments')).toEqual({
    schemaVersion: 1,
    card_payments: [],
  });
});

it.each([
  ['https://gateway.example.com', 'https://gateway.example.com'],
  ['https://gateway.example.com/payouts/', 'https://gateway.example.com/payouts'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
  ['http://LOCALHOST:8080?x#y', 'http://localhost:8080'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('%s is the address %s', (given, address) => {
  expect(gatewayAddress(given)).toBe(address);
});
