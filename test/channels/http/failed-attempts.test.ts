import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../../src/channels/http/gateway-server.ts';
import { cardClaim } from '../../store/card-samples.ts';
import { softwarePasskey } from '../../support/software-passkey.ts';
import { type PagePeople, pagePeople, Visit } from '../pages/visiting.ts';
import { openGateway, type RunningGateway } from './running-gateway.ts';

/** Of failures that a network may make in a minute. */
const ALLOWED = 20;
const TOKEN = 'token-of-shop-with-enough-characters';

/** A gateway behind a proxy on this machine, which names the client in `X-Forwarded-For`. */
async function behindProxy(people?: PagePeople) {
  const gateway = await openGateway(people === undefined ? [{ name: 'shop', token: TOKEN }] : [], {
    policy: people?.policy,
  });
  const port = people?.port ?? 0;
  const transport = { tls: undefined, proxies: ['127.0.0.1'] };
  // By an address that is not this machine's own, so that what is named counts.
  const behind = await startGateway(gateway.app, { host: '::ffff:127.0.0.1', port, transport });
  onTestFinished(() => behind.close());
  return { gateway, behind, url: `http://127.0.0.1:${new URL(behind.url).port}` };
}

/** Asks with a token as a client of the proxy. */
async function ask(url: string, client: string, token: string, path = '/v1/card-payments'): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': client };
  const sending = request(new URL(path, url), { headers });
  sending.end();
  const [answer] = await once(sending, 'response');
  answer.resume();
  return answer.statusCode;
}

const times = async (count: number, ask: (n: number) => Promise<number>): Promise<number[]> => {
  const seen: number[] = [];
  for (let n = 0; n < count; n += 1) seen.push(await ask(n));
  return seen;
};

describe('wrong tokens', () => {
  it('are limited by network, an IPv6 one as a whole; right ones go through, from there too', async () => {
    const { url } = await behindProxy();
    const refused = Array.from({ length: ALLOWED }, () => 401);
    expect(await times(ALLOWED + 5, () => ask(url, '198.51.100.7', 'guess'))).toEqual([
      ...refused,
      ...[429, 429, 429, 429, 429],
    ]);
    expect(await times(ALLOWED + 5, (n) => ask(url, `2001:db8:0:7::${(n + 1).toString(16)}`, 'guess'))).toEqual([
      ...refused,
      ...[429, 429, 429, 429, 429],
    ]);
    expect(await ask(url, '2001:db8:0:8::1', 'guess')).toBe(401);
    expect(await ask(url, '198.51.100.8', 'guess')).toBe(401);
    for (const client of ['198.51.100.7', '2001:db8:0:7::9']) {
      expect(await times(30, () => ask(url, client, TOKEN))).toEqual(Array.from({ length: 30 }, () => 200));
    }
    expect(await ask(url, '198.51.100.7', 'guess')).toBe(429);
  });

  it('are limited on every route that takes one, together, and say when to come back', async () => {
    const { send } = await openGateway([{ name: 'shop', token: TOKEN }]);
    const headers = { authorization: 'Bearer guess' };
    const paths = ['/v1/batches', '/v1/card-payments', '/v1/card-payments/order-1', '/v1/batches/b-1'];
    for (let n = 0; n < ALLOWED; n += 1) {
      expect((await send(paths[n % paths.length] ?? '', { headers })).status).toBe(401);
    }
    for (const path of paths) {
      const { status, document, headers: seen } = await send(path, { headers });
      expect([path, status, document.error.code]).toEqual([path, 429, 'too-many-requests']);
      expect(Number(seen.get('retry-after'))).toBeGreaterThan(0);
    }
    const decode = await send('/codec/decode', { method: 'POST', headers, body: '{}' });
    expect(decode.status).toBe(429);
    expect((await send('/v1/batches')).status).toBe(401);
  });

  it('lead to no read of the store once there were too many', async () => {
    const { send, proxy } = await openGateway([{ name: 'shop', token: TOKEN }]);
    await proxy.store.cards.claim(cardClaim('order-1', { at: 1 }));
    const { get } = proxy.store.cards;
    let reads = 0;
    proxy.store.cards.get = (id) => {
      reads += 1;
      return get(id);
    };
    const guess = (n: number) =>
      send('/v1/card-payments/order-1', { headers: { authorization: `Bearer ${`${n}`.padStart(43, 'x')}` } });
    const statuses = await times(3 * ALLOWED, async (n) => (await guess(n)).status);
    expect([reads, statuses.filter((status) => status === 429).length]).toEqual([ALLOWED, 2 * ALLOWED]);
  });
});

describe('refused sign-ins', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

  async function opened() {
    const people = await pagePeople({ alice: 'maker', bob: 'approver' });
    return { people, ...(await behindProxy(people)) };
  }

  /** A form of somebody without a passkey, from this client. */
  async function refused(visit: Visit, csrf: string, client: string, signed = '{}'): Promise<number> {
    const body = new URLSearchParams({ _csrf: csrf, signed }).toString();
    const headers = { ...FORM, 'x-forwarded-for': client };
    return (await visit.send('/sign-in', { method: 'POST', body, headers })).status;
  }

  async function stranger({ origin }: PagePeople, url: string) {
    const visit = new Visit(url, origin);
    const { text } = await visit.send('/sign-in');
    return { visit, csrf: /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '' };
  }

  const reported = async ({ proxy }: RunningGateway) =>
    (await proxy.store.auditEntriesOf('pages')).filter(({ action }) => action === 'sign-in refused');

  it('are one entry of the audit for each network and minute, with how many there were, of whom and why', async () => {
    const { people, gateway, behind, url } = await opened();
    const { visit, csrf } = await stranger(people, url);
    for (let n = 0; n < 30; n += 1) await refused(visit, csrf, `2001:db8:0:9::${(n + 1).toString(16)}`);
    const bobs = JSON.stringify(people.passkeys.bob?.assert('bWFkZS11cA', { origin: people.origin }));
    for (let n = 0; n < 3; n += 1) await refused(visit, csrf, '198.51.100.9', bobs);
    expect(await reported(gateway)).toEqual([]);
    await behind.close();
    expect((await reported(gateway)).map(({ actor, detail }) => [actor, detail])).toEqual([
      [
        'unknown',
        { from: '2001:db8:0:9::', count: '30', names: 'unknown', why: 'this is not the answer of a passkey' },
      ],
      ['bob', { from: '198.51.100.9', count: '3', names: 'bob', why: 'it took too long, or was sent twice' }],
    ]);
  });

  it('of hundreds of networks are some fifty entries', async () => {
    const { people, gateway, behind, url } = await opened();
    const { visit, csrf } = await stranger(people, url);
    for (let n = 0; n < 120; n += 1) await refused(visit, csrf, `198.51.100.${n + 1}`);
    await behind.close();
    const entries = await reported(gateway);
    expect(entries).toHaveLength(51);
    expect(entries.at(-1)?.detail).toMatchObject({ from: 'other networks', count: '70' });
  });

  it('keep nobody else behind the same address from signing in, nor do sign-ins themselves', async () => {
    const { people, url } = await opened();
    const { visit, csrf } = await stranger(people, url);
    const statuses = await times(ALLOWED + 5, () => refused(visit, csrf, '127.0.0.1'));
    expect(statuses).toEqual([...Array.from({ length: ALLOWED }, () => 401), ...[429, 429, 429, 429, 429]]);
    for (let n = 0; n < 40; n += 1) {
      const passkey = people.passkeys[n % 2 === 0 ? 'alice' : 'bob'] ?? softwarePasskey();
      expect((await new Visit(url, people.origin).signIn(passkey)).status).toBe(303);
    }
  });
});

it('a connection without a whole request is closed', async () => {
  const { url } = await openGateway();
  const { port } = new URL(url);
  const silent = connect(Number(port), '127.0.0.1');
  const slow = connect(Number(port), '127.0.0.1');
  onTestFinished(() => {
    for (const socket of [silent, slow]) socket.destroy();
  });
  for (const socket of [silent, slow]) socket.resume().on('error', () => {});
  slow.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
  await Promise.all([once(silent, 'close'), once(slow, 'close')]);
});
