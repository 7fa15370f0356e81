import { expect, it } from 'vitest';
import { keyToken } from '../../../src/people/signing/key-token.ts';
import { policyOf, signingPerson } from '../../support/people.ts';
import { openGateway } from './running-gateway.ts';

const alice = signingPerson('alice', ['maker']);
const mallory = signingPerson('mallory', ['maker']);
const asWith = (token: string, headers: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${token}`, ...headers },
});

it('lets a person in by a token of their key for this address, and nobody else', async () => {
  const { send, url } = await openGateway([], { policy: policyOf([alice]) });
  const now = Date.now();
  const me = await send('/v1/me', asWith(keyToken(alice.privateKey, url, now)));
  expect(me).toMatchObject({ status: 200, document: { name: 'alice', people: ['alice'] } });
  for (const token of [
    keyToken(mallory.privateKey, url, now),
    keyToken(alice.privateKey, 'http://127.0.0.1:1', now),
    keyToken(alice.privateKey, url, now - 600_000),
    `${keyToken(alice.privateKey, url, now)}x`,
  ]) {
    expect((await send('/v1/me', asWith(token))).status).toBe(401);
  }
});

it('takes only tokens for the origin that the policy names, once it names one', async () => {
  const origin = 'https://gateway.example';
  const { send, url } = await openGateway([], { policy: policyOf([alice], { origin }) });
  expect((await send('/v1/me', asWith(keyToken(alice.privateKey, url, Date.now())))).status).toBe(401);
  expect((await send('/v1/me', asWith(keyToken(alice.privateKey, origin, Date.now())))).status).toBe(200);
});

it('lets no key in where no policy names people', async () => {
  const { send, url } = await openGateway([{ name: 'bank', token: 'secret' }]);
  expect((await send('/v1/me', asWith(keyToken(alice.privateKey, url, Date.now())))).status).toBe(401);
});

it('shows a caller nobody but themselves', async () => {
  const bob = signingPerson('bob', ['approver']);
  const policy = policyOf([alice, bob]);
  const { send, url, proxy } = await openGateway([], { policy });
  const ask = (query: string) => send(`/v1/me${query}`, asWith(keyToken(alice.privateKey, url, Date.now())));
  const [own = '', others = ''] = policy.people.map(({ credentials }) => credentials[0]?.id);
  expect((await ask(`?credential=${own}`)).document).toMatchObject({
    storeId: proxy.store.id,
    person: { name: 'alice' },
  });
  expect((await ask(`?credential=${others}`)).document).toMatchObject({ person: null });
});
