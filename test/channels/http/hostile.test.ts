import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvOf } from '../../e2e/payout-files.ts';
import { longestTurn } from '../../support/longest-turn.ts';
import { limitsPass, limitsSet, watchLimits } from '../../support/time-limit.ts';
import { Visit } from '../pages/visiting.ts';
import { openGateway } from './running-gateway.ts';

const PAYMENTS = '/v1/card-payments';
const JSON_TYPE = { 'content-type': 'application/json' };
/** Nobody else in the process waits longer for a body, with any content, ms. */
const HELD_MAX = 100;

/** Sends so much of a body whose length is announced, and no more. */
function unfinished(url: string, headers: Record<string, string>, begun: string, method = 'POST') {
  const answer = Promise.withResolvers<number | undefined>();
  const closed = Promise.withResolvers<void>();
  const sent = request(url, { method, headers: { ...headers, 'content-length': '1000' } }, (response) => {
    answer.resolve(response.statusCode);
    response.resume();
  });
  sent.on('error', () => {});
  sent.on('close', () => closed.resolve());
  sent.write(begun);
  return { answer: answer.promise, closed: closed.promise, leave: () => sent.destroy() };
}

describe('a body about money', () => {
  it.each([
    ['', '{"amount":"1.00","amount":"1000.00"}'],
    ['', '{"merchant_request_id":"m-1","card":{"number":"1","number":"2"}}'],
    ['', '{"amount":"1.00","am\\u006funt":"1000.00"}'],
    ['/m-1/amount', '{"amount":"1.00","amount":"1000.00"}'],
    ['/m-1/cancel', '{"by":"alice","by":"bob"}'],
  ])('at %s that names a member twice is refused, and shows nothing of it', async (path, body) => {
    const { send } = await openGateway();
    const { status, document } = await send(PAYMENTS + path, { method: 'POST', body, headers: JSON_TYPE });
    expect([status, document.error]).toEqual([
      400,
      {
        code: 'json-refused',
        message: 'The body cannot be read: a member is named twice.',
        hint: 'Send JSON in UTF-8 in which each member appears once.',
      },
    ]);
  });

  it.each([
    ['a number instead of a text', '{"merchant_request_id":"m-1","amount":1.00}', 'usage'],
    ['a prototype', '{"__proto__":{"amount":"1.00"}}', 'usage'],
    ['open brackets', '['.repeat(60_000), 'json-refused'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'json-refused'],
  ])('that holds %s is refused', async (_, body, code) => {
    const { send } = await openGateway();
    const given = typeof body === 'string' ? body : new Uint8Array(body);
    const { status, document } = await send(PAYMENTS, { method: 'POST', body: given, headers: JSON_TYPE });
    expect([status, document.error.code]).toEqual([400, code]);
  });

  it('holds up nobody else, with any content', async () => {
    const { send } = await openGateway();
    const tokens = [
      '[',
      '{',
      '{"a":',
      '"',
      '\\',
      '\\"',
      '"a":1,',
      '1',
      '-',
      'e',
      ' ',
      '\ud83d\ude00',
      '[[],',
      '"\\u0000"',
    ];
    const run = fc.tuple(fc.constantFrom(...tokens), fc.constantFrom(1, 10, 1_000, 60_000));
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 4 }), async (runs) => {
        const body = runs
          .map(([token, times]) => token.repeat(times / token.length))
          .join('')
          .slice(0, 65_000);
        const post = () => send(PAYMENTS, { method: 'POST', body, headers: JSON_TYPE });
        expect(await longestTurn(post, HELD_MAX)).toBeLessThan(HELD_MAX);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a body that does not arrive within ten seconds', () => {
  it.each([
    ['of a card payment', PAYMENTS],
    ['of a control', '/v1/batches/b-1/cancel'],
  ])('%s is answered, and its connection ends', async (_, path) => {
    const { url } = await openGateway();
    watchLimits();
    const { answer, closed } = unfinished(url + path, JSON_TYPE, '{"amount":');
    await expect.poll(limitsSet).toContain(10_000);
    limitsPass();
    expect(await answer).toBe(408);
    await closed;
  });

  it('is not waited for once its answer is out', async () => {
    const { url } = await openGateway();
    watchLimits();
    const { answer, closed } = unfinished(`${url}/healthz`, JSON_TYPE, '{', 'GET');
    expect(await answer).toBe(200);
    await expect.poll(limitsSet).toContain(10_000);
    limitsPass();
    await closed;
  });
});

it.each(['/v1/batches', '/batches/new'])(
  'a client that goes away in the middle of a file at %s leaves nothing behind, and no error in the log',
  async (path) => {
    const { url, uploads, log } = await openGateway();
    const visit = new Visit(url);
    const [, token] = /name="_csrf" value="([^"]*)"/.exec((await visit.send('/batches/new')).text) ?? [];
    const part = 'content-disposition: form-data; name=';
    const form = `--x\r\n${part}"_csrf"\r\n\r\n${token}\r\n--x\r\n${part}"file"; filename="a.csv"\r\n\r\nid,uid`;
    const [type, begun] = path === '/v1/batches' ? ['text/csv', 'id,uid'] : ['multipart/form-data; boundary=x', form];
    const headers = { 'content-type': type, origin: url, cookie: visit.cookies };
    const { leave } = unfinished(url + path, headers, begun);
    const files = () => readdirSync(uploads).length;
    await expect.poll(files).toBe(1);
    leave();
    await expect.poll(files).toBe(0);
    expect((await visit.send('/healthz')).status).toBe(200);
    expect(log.filter((line) => line.includes('"level":50'))).toEqual([]);
  },
);

it('a browser that sends more files at once than anybody may is refused before they are read', async () => {
  const { url, uploads } = await openGateway([], { atOnce: 2 });
  const headers = { 'content-type': 'multipart/form-data; boundary=x', origin: url };
  const begun = '--x\r\ncontent-disposition: form-data; name="_csrf"\r\n\r\n';
  const slow = () => unfinished(`${url}/batches/new`, headers, begun);
  const sent = [slow(), slow(), slow()];
  expect(await Promise.race(sent.map(({ answer }) => answer))).toBe(429);
  expect(readdirSync(uploads)).toEqual([]);
  for (const { leave } of sent) leave();
  await expect.poll(async () => (await fetch(`${url}/batches/new`)).status).toBe(200);
});

it('a client that has gone away before its answer leaves no error in the log', async () => {
  const { url, app, uploads, proxy, log } = await openGateway();
  const { claimBatch } = app.store;
  const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.store.claimBatch = async (claim) => {
    asked.resolve();
    await gone.promise;
    return claimBatch.call(app.store, claim);
  };
  const sent = request(`${url}/v1/batches`, { method: 'POST', headers: { 'content-type': 'text/csv' } });
  sent.on('error', () => {});
  sent.end(csvOf([{ id: '1' }]));
  await asked.promise;
  sent.destroy();
  gone.resolve();
  await expect.poll(() => proxy.started).toHaveLength(1);
  await expect.poll(() => readdirSync(uploads)).toEqual([]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(log.filter((line) => line.includes('"level":50'))).toEqual([]);
});

it.each(['evil.example@127.0.0.1', 'a:b@localhost', '@127.0.0.1', 'evil.example'])(
  'without a token the host %s is not this machine',
  async (host) => {
    const { url } = await openGateway();
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    request(`${url}/v1/batches`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
    expect(await promise).toBe(403);
  },
);
