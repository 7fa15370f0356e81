import { webcrypto } from 'node:crypto';
import type { LookupOptions } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { isPrivateAddress, lookupPublic, PrivateAddress } from '../../../src/bank/private-addresses.ts';
import { standardWebhook } from '../../../src/bank/webhooks/verifier.ts';
import { Secret } from '../../../src/platform/config/key.ts';
import { envelope, payoutData } from '../../../src/reports/events/cloud-event.ts';
import { webhookEndpoint } from '../../../src/reports/events/deliver.ts';
import { SECRETS, Sending } from './sending.ts';

/** By another implementation than ours: that of browsers. */
async function hmac(secret: Buffer, text: string): Promise<string> {
  const key = await webcrypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return Buffer.from(await webcrypto.subtle.sign('HMAC', key, Buffer.from(text))).toString('base64');
}

describe('a webhook', () => {
  it('is signed with every secret over id, time and body, as Standard Webhooks says', async () => {
    await using sending = await Sending.start();
    await sending.stuck('a');
    await sending.deliver();
    const [{ headers, body, path } = expect.fail('nothing came')] = sending.receiver.taken;
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
    expect(timestamp).toBe(`${sending.now / 1_000}`);
    const expected = await Promise.all(SECRETS.map((secret) => hmac(secret, `${id}.${timestamp}.${body}`)));
    expect(signatures).toBe(expected.map((signature) => `v1,${signature}`).join(' '));
    expect(headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    expect(path).toBe('/hooks?of=payouts');
    // A receiver that knows one of the two takes it.
    for (const secret of SECRETS) {
      const verify = standardWebhook({ secrets: [secret], toleranceMs: 300_000 });
      const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [`${value}`]]));
      const delivery = { method: 'POST', path, headers: given, remoteAddress: '127.0.0.1', now: sending.now };
      expect(verify({ ...delivery, body: Buffer.from(body) })).toBe(id);
    }
  });

  it('holds the state of its payout in an envelope of CloudEvents, and no name and no account', async () => {
    await using sending = await Sending.start();
    const { reference } = await sending.stuck('INV-1');
    await sending.deliver();
    const [{ body } = expect.fail('nothing came')] = sending.receiver.taken;
    const { data, ...rest } = JSON.parse(body);
    expect(envelope.parse(rest)).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      source: `urn:uuid:${sending.store.id}`,
      type: 'org.durable-payouts.payout.attention',
      subject: `payout/${reference}`,
      time: '2026-03-02T08:00:00.000Z',
      sequence: '0000000000000001',
      datacontenttype: 'application/json',
    });
    expect(payoutData.parse(data)).toMatchObject({
      reference,
      id: 'INV-1',
      uid: 'user-1',
      state: 'needs-operator',
      reason: 'status-unclear',
      needsAttention: true,
      amount: '10.50',
      currency: 'USD',
      endedAt: null,
      returns: [],
      incidents: [],
    });
    expect(body).not.toMatch(/acc-1|ben-1/);
  });

  it('follows no redirect', async () => {
    await using sending = await Sending.start();
    await sending.stuck('a');
    const location = sending.receiver.url.replace('/hooks', '/elsewhere');
    sending.receiver.answer = () => ({ status: 307, headers: { location } });
    await sending.deliver();
    expect(sending.receiver.asked.map(({ path }) => path)).toEqual(['/hooks?of=payouts']);
    expect(await sending.state()).toMatchObject({ why: 'http-307', position: 0 });
  });

  it('goes to no name that leads into a private network', async () => {
    const addresses = (options: LookupOptions): Promise<unknown> =>
      new Promise((resolve, reject) => {
        lookupPublic('localhost', options, (error, found) => (error ? reject(error) : resolve(found)));
      });
    await expect(addresses({ all: true })).rejects.toThrow(PrivateAddress);
    await expect(addresses({})).rejects.toThrow(PrivateAddress);
  });

  it('that is not answered in words of HTTP says so without the words', async () => {
    const to = {
      kind: 'webhook',
      url: 'http://127.0.0.1:1/',
      secrets: new Secret(SECRETS),
      privateNetwork: false,
    } as const;
    const proxy = webhookEndpoint(to, Date.now);
    await using sending = await Sending.start();
    await sending.stuck('a');
    await sending.deliver();
    const [{ event } = expect.fail('nothing came')] = sending.receiver.taken;
    expect(await proxy.send(event)).toEqual({ kind: 'unavailable', why: 'nothing-listens' });
    await proxy.close();
  });
});

describe('private addresses', () => {
  it.each([
    ...['10.1.2.3', '127.0.0.1', '169.254.169.254', '172.31.0.1', '192.168.1.1', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
    ...['::1', '::', 'fe80::1', 'fd00::1', '::ffff:10.0.0.1', '::ffff:127.0.0.1', '64:ff9b::a00:1'],
    ...['::127.0.0.1', '::ffff:0:10.0.0.1', '2002:7f00:1::', '2001::1', '192.88.99.1'],
  ])('%s is one', (address) => expect(isPrivateAddress(address)).toBe(true));

  it.each(['192.0.2.1', '8.8.8.8', '172.32.0.1', '::ffff:8.8.8.8', '2001:db8::1', '2606:4700::1111'])(
    '%s is none',
    (address) => expect(isPrivateAddress(address)).toBe(false),
  );
});
