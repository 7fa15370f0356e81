import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { noticeBody } from '../../bank/webhooks/receiving.ts';
import { limitsPass, limitsSet, watchLimits } from '../../support/time-limit.ts';
import { openWebhooks, signedNow } from './running-webhooks.ts';

const SUCCEEDED = { payment_id: 'p-1', payment_status: 'SUCCEEDED', merchant_request_id: 'r-1' };
const BODY = noticeBody(SUCCEEDED);

describe('POST /v1/webhooks/cards', () => {
  it('answers 200 when another process can see the event, and delivers it once afterwards', async () => {
    const { post, storeUrl, store, delivered } = await openWebhooks();
    await store.cards.addRequest('r-1', 'm-1');
    expect(await post(BODY)).toEqual({ status: 200, document: {} });
    const other = await openStore(storeUrl);
    onTestFinished(() => other.close());
    expect(await other.cards.eventsOf('m-1')).toMatchObject([{ paymentId: 'p-1', trust: 'verified', effect: null }]);
    await expect.poll(() => delivered).toMatchObject([{ paymentId: 'p-1', merchantRequestId: 'm-1' }]);
    const again = await Promise.all(Array.from({ length: 20 }, () => post(BODY)));
    expect(again.every(({ status }) => status === 200)).toBe(true);
    await pause(20);
    expect(delivered).toHaveLength(1);
  });

  it('delivers at once what was stored for a sender that has gone away before', async () => {
    const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { url, delivered } = await openWebhooks({}, (cards) => ({
      ...cards,
      receive: async (event) => {
        asked.resolve();
        await gone.promise;
        return cards.receive(event);
      },
    }));
    const headers = { 'content-type': 'application/json', ...signedNow(BODY) };
    const sent = request(url, { method: 'POST', headers }).on('error', () => {});
    sent.end(BODY);
    await asked.promise;
    sent.destroy();
    await pause(100);
    gone.resolve();
    await expect.poll(() => delivered).toHaveLength(1);
  });

  it('delivers once what comes eight times at once', async () => {
    const { post, delivered } = await openWebhooks();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(BODY)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    await expect.poll(() => delivered.length).toBe(1);
    await pause(20);
    expect(delivered).toHaveLength(1);
  });

  it('refuses what is forged and stores nothing; the answer and the log show nothing of it', async () => {
    const { post, store, delivered, lines } = await openWebhooks();
    const forged = { ...signedNow(BODY), 'webhook-id': 'another' };
    const { status, document } = await post(BODY, forged);
    expect(status).toBe(401);
    expect(document).toMatchObject({ error: { code: 'webhook-refused' } });
    expect(JSON.stringify(document)).not.toContain('signature-wrong');
    expect(await store.cards.undelivered(false, 10)).toEqual([]);
    expect(delivered).toEqual([]);
    expect(lines.join('')).toContain('signature-wrong');
    expect(lines.join('')).not.toMatch(/p-1|r-1|another/);
  });

  it('refuses everything while nothing is configured, and a bearer token makes no difference', async () => {
    const { post, lines } = await openWebhooks({ secrets: [] });
    expect((await post(BODY)).status).toBe(401);
    expect((await post(BODY, { ...signedNow(BODY), authorization: 'Bearer token' })).status).toBe(401);
    expect(lines.filter((line) => line.includes('PAYOUTS_WEBHOOK_SECRET'))).toHaveLength(1);
  });

  it('counts the address of the socket, not what a header says', async () => {
    const away = await openWebhooks({ scheme: 'ip', ips: ['192.0.2.0/24'] });
    expect((await away.post(BODY, { 'x-forwarded-for': '192.0.2.7' })).status).toBe(401);
    const here = await openWebhooks({ scheme: 'ip', ips: ['127.0.0.0/8'] });
    expect((await here.post(BODY, { 'x-forwarded-for': '203.0.113.1' })).status).toBe(200);
    expect(await here.store.cards.undelivered(false, 10)).toMatchObject([{ trust: 'hint' }]);
  });

  it('answers 503 when the store fails, and takes the same webhook when it works again', async () => {
    let down = true;
    const { post, delivered } = await openWebhooks({}, (cards) => ({
      ...cards,
      receive: (event) => (down ? Promise.reject(new Error('disk full')) : cards.receive(event)),
    }));
    const { status, document } = await post(BODY);
    expect(status).toBe(503);
    expect(JSON.stringify(document)).not.toContain('disk full');
    down = false;
    expect((await post(BODY)).status).toBe(200);
    await expect.poll(() => delivered.length).toBe(1);
  });

  it('acknowledges what is verified and means nothing', async () => {
    const { post, store } = await openWebhooks();
    for (const body of [Buffer.from('{}'), Buffer.from('no json'), noticeBody({})]) {
      expect((await post(body, signedNow(body))).status).toBe(200);
    }
    expect(await store.cards.undelivered(false, 10)).toEqual([]);
  });
});

describe('What is no webhook', () => {
  it.each(['application/json; charset=utf-8', 'application/webhook+json', 'Application/JSON'])(
    'is not %s',
    async (type) => {
      const { post } = await openWebhooks();
      expect((await post(BODY, { ...signedNow(BODY), 'content-type': type })).status).toBe(200);
    },
  );

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'application/xml'])(
    'is %s',
    async (type) => {
      const { post } = await openWebhooks();
      const { status, document } = await post(BODY, { ...signedNow(BODY), 'content-type': type });
      expect(status).toBe(415);
      expect(document).toMatchObject({ error: { code: 'media-type-unsupported' } });
    },
  );

  it('is a body without a type, an empty one, or a packed one', async () => {
    const { post, raw } = await openWebhooks();
    const { status } = await raw(['host', 'x', 'content-length', `${BODY.length}`], BODY);
    expect(status).toBe(415);
    expect((await post(BODY, { ...signedNow(BODY), 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await post(Buffer.alloc(0))).status).toBe(200);
  });

  it('is larger than 64 KiB, announced or not', async () => {
    const { post, raw } = await openWebhooks();
    const large = noticeBody({
      ...SUCCEEDED,
      filler: 'x'.repeat(65_536 - noticeBody({ ...SUCCEEDED, filler: '' }).length),
    });
    expect(large).toHaveLength(65_536);
    expect((await post(large)).status).toBe(200);
    const larger = Buffer.concat([large, Buffer.from(' ')]);
    expect((await post(larger)).status).toBe(413);
    const type = ['host', 'x', 'content-type', 'application/json'];
    expect((await raw([...type, 'content-length', '1000000'], larger)).status).toBe(413);
    expect((await raw([...type, 'transfer-encoding', 'chunked'], larger)).status).toBe(413);
  });

  it('does not arrive within ten seconds', async () => {
    const { raw } = await openWebhooks();
    watchLimits();
    const headers = ['host', 'x', 'content-type', 'application/json', 'content-length', `${BODY.length}`];
    const answer = raw(headers, BODY.subarray(0, 10));
    await expect.poll(limitsSet).toEqual([10_000]);
    limitsPass();
    expect((await answer).status).toBe(408);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('comes by %s', async (method) => {
    const { url } = await openWebhooks();
    expect((await fetch(url, { method })).status).toBe(405);
  });

  it('names a header of its signature twice', async () => {
    const { raw, store } = await openWebhooks();
    const signed = Object.entries(signedNow(BODY)).flatMap(([name, value]) => [name, value, name, value]);
    const headers = ['host', 'x', 'content-type', 'application/json', 'content-length', `${BODY.length}`, ...signed];
    expect((await raw(headers, BODY)).status).toBe(401);
    expect(await store.cards.undelivered(false, 10)).toEqual([]);
  });
});
