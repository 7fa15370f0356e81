import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerOf } from '../../../src/channels/http/answer-error.ts';
import { removeAbandoned } from '../../../src/channels/http/bodies.ts';
import { startGateway } from '../../../src/channels/http/gateway-server.ts';
import { OPERATIONS } from '../../../src/channels/http/operations/all.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { csvOf } from '../../e2e/payout-files.ts';
import { openGateway } from './running-gateway.ts';

const FILE = csvOf([{ id: '1' }]);
const CARD_PAYMENT = JSON.stringify({
  merchant_request_id: 'm-1',
  amount: '49.90',
  currency: 'EUR',
  return_url: 'http://127.0.0.1/',
});
const TOKENS = [
  { name: 'alice', token: 'token-of-alice' },
  { name: undefined, token: 'token-of-nobody' },
];
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('tokens', () => {
  it.each([{}, bearer('token-of-alicf'), bearer('token-of-alice2'), { authorization: 'Basic token-of-alice' }])(
    '%j is refused, before the body is read',
    async (headers) => {
      const { send, post } = await openGateway(TOKENS);
      const refused = { status: 401, document: { error: { code: 'token-refused' }, findings: [] } };
      expect(await post('', FILE, headers as Record<string, string>)).toMatchObject(refused);
      const listed = await send('/v1/batches', { headers });
      expect(listed).toMatchObject(refused);
      expect(listed.headers.get('www-authenticate')).toBe('Bearer');
    },
  );

  it('make their name the maker, which nobody can change', async () => {
    const { post, proxy, log } = await openGateway(TOKENS);
    expect((await post('?by=bob', FILE, bearer('token-of-alice'))).status).toBe(403);
    expect((await post('', FILE, bearer('token-of-alice'))).status).toBe(202);
    expect(await proxy.store.batches(1)).toMatchObject([{ by: 'alice' }]);
    expect((await post('?by=bob', csvOf([{ id: '2', amount: '9.00' }]), bearer('token-of-nobody'))).status).toBe(202);
    expect(await proxy.store.batches(1)).toMatchObject([{ by: 'bob' }]);
    expect(log.join()).toContain('"caller":"alice"');
    expect(log.join()).not.toContain('token-of');
  });

  it('are needed where other machines reach the gateway', async () => {
    const { app } = await openGateway();
    await expect(startGateway(app, { host: '0.0.0.0', port: 0 })).rejects.toMatchObject({
      key: 'PAYOUTS_GATEWAY_TOKEN',
    });
  });
});

it.each([
  [undefined, '--port'],
  ['--gateway-port', '--gateway-port'],
])('a port that is taken names the option for another: %s', async (portOption, named) => {
  const { app } = await openGateway();
  const listenOn = { host: '127.0.0.1', port: 0, ...(portOption && { portOption }) };
  const other = await startGateway(app, listenOn);
  onTestFinished(() => other.close());
  await expect(startGateway(app, { ...listenOn, port: Number(new URL(other.url).port) })).rejects.toMatchObject({
    code: 'stack-port-taken',
    hint: `Free it, or name another by ${named}.`,
  });
});

describe('without a token', () => {
  const statusFor = (url: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      request(`${url}/v1/batches`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });

  it('only this machine is answered, and no page of another origin', async () => {
    const { url } = await openGateway();
    const { host } = new URL(url);
    expect(await statusFor(url, {})).toBe(200);
    expect(await statusFor(url, { host: host.replace('127.0.0.1', 'localhost') })).toBe(200);
    expect(await statusFor(url, { origin: url })).toBe(200);
    expect(await statusFor(url, { host: 'rebound.example' })).toBe(403);
    expect(await statusFor(url, { origin: 'http://page.example' })).toBe(403);
    expect(await statusFor(url, { origin: 'null' })).toBe(403);
  });
});

describe('batches', () => {
  it('are listed, shown, reported and controlled', async () => {
    const { post, send, controls, proxy } = await openGateway();
    const taken = await post('?file=a.csv', FILE);
    const { batchId } = taken.document;
    expect(taken.headers.get('location')).toBe(`/v1/batches/${batchId}`);
    expect((await send('/v1/batches')).document.batches).toMatchObject([{ batchId, file: 'a.csv', state: 'open' }]);
    const files = join(proxy.dir, 'home', 'reports');
    const link = (name: string) => `/v1/batches/${batchId}/reports/${name}`;
    expect((await send(`/v1/batches/${batchId}`)).document).toMatchObject({
      batchId,
      counts: { open: 1 },
      reports: { csv: link('csv'), json: link('json'), html: link('html') },
    });
    // They are made when they are asked for.
    expect(existsSync(files)).toBe(false);
    for (const name of ['pause', 'drain', 'resume', 'cancel']) {
      const { status, document } = await send(`/v1/batches/${batchId}/${name}?by=carol`, { method: 'POST' });
      expect([status, document]).toEqual([200, { schemaVersion: 1, batchId, control: 'paused' }]);
      expect(controls.at(-1)).toEqual({ batchId, update: name, by: 'carol' });
    }
    for (const [name, type, text] of [
      ['csv', 'text/csv', 'row,id,uid'],
      ['json', 'application/json', ''],
      ['html', 'text/html', '<!doctype html>'],
    ] as const) {
      const { status, headers, document } = await send(`/v1/batches/${batchId}/reports/${name}`);
      expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
      expect(headers.get('content-disposition')).toMatch(new RegExp(`^inline; filename=\\S+\\.${name}$`));
      if (text !== '') expect(document.startsWith(text)).toBe(true);
    }
    const masked = await send(`/v1/batches/${batchId}/reports/json?mask=true`);
    expect(masked.headers.get('content-disposition')).toMatch(/-report-masked\.json$/);
    expect(masked.document).toMatchObject({ masked: true, payouts: [{ accountId: expect.stringMatching(/^\*\*\*/) }] });
    expect((await send(`/v1/batches/${batchId}/reports/failed`)).status).toBe(404);
    await proxy.end(batchId, 'failed');
    expect((await send(`/v1/batches/${batchId}/reports/failed`)).document).toContain('retry_of');
    const late = await send(`/v1/batches/${batchId}/pause`, { method: 'POST' });
    expect(late).toMatchObject({ status: 409, document: { error: { code: 'batch-ended' } } });
    const detail = { outcome: 'refused', why: 'This batch has ended.' };
    expect((await proxy.store.auditEntriesOf(batchId)).at(-1)).toMatchObject({ action: 'asked to pause', detail });
  });

  it('are resumed if they ended while they were paused, and asked nothing else', async () => {
    const { post, send, controls, proxy } = await openGateway();
    const { batchId } = (await post('?file=a.csv', FILE)).document;
    await proxy.store.controlBatch({ batchId, control: 'paused', by: 'carol', at: 1 });
    await proxy.end(batchId, 'failed');
    const ask = async (name: string) => (await send(`/v1/batches/${batchId}/${name}`, { method: 'POST' })).status;
    expect([await ask('cancel'), await ask('drain'), await ask('resume')]).toEqual([409, 409, 200]);
    expect(controls.map(({ update }) => update)).toEqual(['resume']);
  });

  it('say what their orders moved, to software that books it', async () => {
    const { post, send, proxy } = await openGateway();
    const { batchId } = (await post('?file=a.csv', FILE)).document;
    const report = (name: string) => send(`/v1/batches/${batchId}/reports/${name}`);
    expect(await report('camt054')).toMatchObject({ status: 404, document: { error: { code: 'nothing-moved' } } });
    await proxy.end(batchId, 'completed');
    const advice = await report('camt054');
    expect([advice.status, advice.headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
    expect(advice.headers.get('content-disposition')).toMatch(/^inline; filename=\S+-camt054\.xml$/);
    expect(advice.document).toContain('<BkToCstmrDbtCdtNtfctn>');
    const journal = await report('journal');
    expect([journal.status, journal.headers.get('payouts-unclear')]).toEqual([200, '0']);
    expect(journal.document.split('\n')).toHaveLength(4);
  });

  it('leave an entry of what their workflow refuses, and of what nobody answers', async () => {
    const { post, send, proxy } = await openGateway();
    const { batchId } = (await post('?file=a.csv', FILE)).document;
    const pause = async (error: Error): Promise<[number, unknown]> => {
      proxy.temporal.answer = () => {
        throw error;
      };
      const { status } = await send(`/v1/batches/${batchId}/pause?by=carol`, { method: 'POST' });
      return [status, (await proxy.store.auditEntriesOf(batchId)).at(-1)];
    };
    const entry = (detail: object) => ({ actor: 'carol', action: 'asked to pause', detail });
    const refusal = new Problem('conflict', 'control-refused', 'Not now: "by" is missing.', { hint: '' });
    expect(await pause(refusal)).toMatchObject([409, entry({ outcome: 'refused', why: refusal.message })]);
    expect(await pause(new Error('gone'))).toMatchObject([500, entry({ outcome: 'no answer' })]);
  });

  it.each(['/v1/batches/nobody', '/v1/batches/nobody/reports/csv', '/v1/nothing'])('%s is not there', async (path) => {
    const { send } = await openGateway();
    expect(await send(path)).toMatchObject({ status: 404, document: { schemaVersion: 1, findings: [] } });
  });
});

it('says whether it is alive and whether it is ready, without a token', async () => {
  const { send, proxy, notices } = await openGateway(TOKENS);
  expect(await send('/healthz')).toMatchObject({ status: 200 });
  expect(await send('/readyz')).toMatchObject({ status: 200, document: { ready: true, warnings: [] } });
  notices.push({ text: 'a clock is off' });
  expect(await send('/readyz')).toMatchObject({ status: 200, document: { ready: true, warnings: ['a clock is off'] } });
  notices.push({ part: 'workers', text: 'nobody works' });
  expect(await send('/readyz')).toMatchObject({ status: 200, document: { ready: true, parts: { workers: 'down' } } });
  proxy.temporal.down = true;
  // An answer is reused for a moment.
  await pause(2_100);
  const parts = { store: 'up', temporal: 'down', bank: 'up' };
  expect(await send('/readyz')).toMatchObject({ status: 503, document: { ready: false, parts } });
});

it('describes every route in its OpenAPI document', async () => {
  const { send } = await openGateway(TOKENS);
  const { document } = await send('/openapi.json');
  const paths = [
    '/healthz',
    '/readyz',
    '/v1/batches/{id}',
    '/v1/batches/{id}/cancel',
    '/v1/batches/{id}/drain',
    '/v1/batches/{id}/pause',
    '/v1/batches/{id}/reports/{name}',
    '/v1/batches/{id}/reports/{name}',
    '/v1/batches/{id}/resume',
    '/v1/card-payments',
    '/v1/card-payments/{id}',
    '/v1/card-payments/{id}/again',
    '/v1/card-payments/{id}/card',
    '/v1/card-payments/{id}/fingerprint',
    '/v1/card-payments/{id}/returned',
    '/v1/webhooks/cards',
    ...OPERATIONS.filter(({ hide }) => hide !== true).map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}')),
  ];
  expect(Object.keys(document.paths).sort()).toEqual([...new Set(paths)].sort());
  const { post } = document.paths['/v1/batches'];
  const shared = document.components.parameters;
  const named = post.parameters.map(
    ({ name, $ref = '' }: { name?: string; $ref?: string }) => name ?? shared[$ref.split('/').at(-1) ?? ''].name,
  );
  expect(named).toContain('dry_run');
  expect(Object.keys(post.responses)).toEqual(['200', '202', '4XX']);
});

it.each([
  ['get', '/v1/batches/{id}', '/v1/batches/%ff', 400],
  ['get', '/v1/batches/{id}', `/v1/batches/${'x'.repeat(201)}`, 414],
  ['get', '/v1/batches/{id}/reports/{name}', '/v1/batches/ID/reports/csv', 200],
  ['get', '/v1/batches/{id}/reports/{name}', '/v1/batches/ID/reports/html', 200],
  ['get', '/v1/batches/{id}/reports/{name}', '/v1/batches/ID/reports/json', 200],
  ['get', '/v1/batches/{id}/reports/{name}', '/v1/batches/ID/reports/csv?mask=perhaps', 400],
  ['get', '/v1/batches/{id}/reports/{name}', '/v1/batches/ID/reports/csv?masked=true', 400],
  ['get', '/v1/batches/{id}/reports/{name}', '/v1/batches/ID/reports/journal', 200],
  ['get', '/v1/batches/{id}/reports/{name}', '/v1/batches/ID/reports/journal?mask=true', 400],
  ['get', '/v1/batches', '/v1/batches?state=open', 400],
  ['get', '/v1/batches/{id}', '/v1/batches/ID?row=1', 400],
  ['get', '/v1/card-payments', '/v1/card-payments?currency=EUR', 400],
  ['post', '/v1/card-payments/{id}/returned', '/v1/card-payments/m-1/returned', 415],
])('declares what it answers: %s %s, as to %s', async (method, path, asked, status) => {
  const { send, post } = await openGateway();
  const { document } = await send('/openapi.json');
  const { batchId } = (await post('', FILE)).document;
  await send('/v1/card-payments', {
    method: 'POST',
    body: CARD_PAYMENT,
    headers: { 'content-type': 'application/json' },
  });
  const body = method === 'post' ? { body: '<a/>', headers: { 'content-type': 'application/xml' } } : {};
  const answer = await send(asked.replace('ID', batchId), { method, ...body });
  expect(answer.status).toBe(status);
  const { paths, components } = document;
  const { responses } = paths[path][method];
  const { $ref, content } = responses[status] ?? responses['4XX'];
  const declared = content ?? components.responses[$ref.split('/').at(-1)].content;
  expect(Object.keys(declared)).toContain(answer.headers.get('content-type')?.split(';')[0]);
  if (status !== 200) expect(answer.document.error.hint).not.toBe('');
});

it('keeps the words of an internal error for its log', () => {
  const { status, document } = answerOf(new Error('IBAN DE00 CANARY'));
  expect([status, JSON.stringify(document)]).toEqual([500, expect.not.stringContaining('CANARY')]);
});

it('removes bodies that a kill has left, and no others', async () => {
  const { uploads } = await openGateway();
  const [old, fresh] = ['old', 'fresh'].map((name) => join(uploads, name));
  for (const folder of [old, fresh]) mkdirSync(folder ?? '');
  utimesSync(old ?? '', 1, 1);
  await removeAbandoned(uploads, Date.now());
  expect([old, fresh].map((folder) => folder === undefined || utimesOf(folder))).toEqual([false, true]);
});

function utimesOf(folder: string): boolean {
  try {
    utimesSync(folder, 2, 2);
    return true;
  } catch {
    return false;
  }
}

it.each([
  ['unauthenticated', 401, { 'www-authenticate': 'Bearer' }],
  ['unsigned', 401, {}],
  ['incomplete', 400, { connection: 'close' }],
  ['too-slow', 408, { connection: 'close' }],
] as const)('a problem of the kind %s is answered with %d', (kind, status, headers) => {
  expect(answerOf(new Problem(kind, 'code', 'message', { hint: '' }))).toMatchObject({ status, headers });
  expect(Object.keys(answerOf(new Problem(kind, 'code', 'message', { hint: '' })).headers).sort()).toEqual(
    ['content-type', ...Object.keys(headers)].sort(),
  );
});
