import { request as httpRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { errorDocument } from '../../../src/channels/http/documents.ts';
import { csvOf } from '../../e2e/payout-files.ts';
import { openGateway } from './running-gateway.ts';

const FILE = csvOf([{ id: '1' }]);
const JSON_BODY = { 'content-type': 'application/json' };
const UNKNOWN = '018f0000-0000-5000-8000-000000000000';

const json = (body: unknown, headers = {}): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { ...JSON_BODY, ...headers },
});
const file = (body: string, type = 'text/csv'): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
});
const PAYOUT = {
  ...{ id: '1', uid: 'u-1001', account_id: 'acc-u1001-usd', amount: '12.50', currency: 'USD' },
  beneficiary_id: 'ben-u1001-usd-local',
};

/** Wrong requests of every kind, each with the status and the code of its answer. */
const WRONG: readonly (readonly [path: string, request: RequestInit, status: number, code: string])[] = [
  ['/v1/none', {}, 404, 'no-such-route'],
  ['/v1/batches', { method: 'DELETE' }, 405, 'method-not-allowed'],
  ['/v1/batches/none', {}, 404, 'unknown-id'],
  ['/v1/batches/none/progress', {}, 404, 'unknown-id'],
  ['/v1/batches/none/pause', { method: 'POST' }, 404, 'unknown-id'],
  ['/v1/payouts/none', {}, 404, 'unknown-id'],
  [`/v1/payouts/${UNKNOWN}/cancel`, { method: 'POST', body: '{}', headers: JSON_BODY }, 400, 'usage'],
  ['/v1/payouts?state=odd', {}, 400, 'usage'],
  ['/v1/batches?page=2', {}, 400, 'usage'],
  ['/v1/incidents/none', {}, 404, 'unknown-id'],
  ['/v1/switches', { method: 'POST', body: '{', headers: JSON_BODY }, 400, 'json-refused'],
  [
    '/v1/switches',
    { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } },
    415,
    'media-type-unsupported',
  ],
  [
    '/v1/switches',
    { method: 'POST', body: '{"to":"on","scope":"everything","by":"a","reason":"b"}', headers: JSON_BODY },
    400,
    'not-off',
  ],
  ['/v1/batches', { method: 'POST', body: FILE }, 415, 'media-type-unsupported'],
  ['/v1/batches?invalid=odd', { method: 'POST', body: FILE, headers: { 'content-type': 'text/csv' } }, 400, 'usage'],
  [
    '/v1/batches',
    { method: 'POST', body: 'a,b\n1,2\n', headers: { 'content-type': 'text/csv' } },
    422,
    'input-invalid',
  ],
  [
    '/v1/batches',
    { method: 'POST', body: csvOf([{ id: '1', amount: '0' }]), headers: { 'content-type': 'text/csv' } },
    422,
    'input-invalid',
  ],
  [
    '/v1/batches?plan=other',
    { method: 'POST', body: FILE, headers: { 'content-type': 'text/csv' } },
    422,
    'other-plan',
  ],
  [`/v1/${'x'.repeat(300)}`, {}, 404, 'no-such-route'],
  ['/v1/batches/%00', {}, 404, 'unknown-id'],
  ['/v1/events?from=x&limit=1', {}, 400, 'usage'],
  ['/v1/payouts', json({}), 422, 'input-invalid'],
  ['/v1/payouts', json({ ...PAYOUT, amount: 12.5 }), 422, 'input-invalid'],
  ['/v1/payouts', json({ ...PAYOUT, amount: '12.505' }), 422, 'input-invalid'],
  ['/v1/payouts', json({ ...PAYOUT, colour: 'red' }), 422, 'input-invalid'],
  ['/v1/payouts', json([PAYOUT]), 400, 'json-refused'],
  ['/v1/payouts?by=', json(PAYOUT), 400, 'usage'],
  ['/v1/payouts', json(PAYOUT, { 'idempotency-key': 'x'.repeat(300) }), 400, 'idempotency-key-refused'],
  ['/v1/payouts?limit=0', {}, 400, 'usage'],
  ['/v1/payouts?after=nowhere', {}, 400, 'cursor-refused'],
  ['/v1/payouts?from=yesterday', {}, 400, 'usage'],
  ['/v1/inbox?mine=perhaps', {}, 400, 'usage'],
  ['/v1/inbox?mine=true', {}, 400, 'name-missing'],
  ['/v1/incidents/none/acknowledgement', json({ by: 'a', reason: 'b' }), 404, 'unknown-id'],
  ['/v1/incidents/none/acknowledgement', json({ reason: 'b\u0000' }), 400, 'usage'],
  ['/v1/waiting?states=held', {}, 400, 'usage'],
  [`/v1/payouts/${UNKNOWN}/decisions`, json({ decision: 'approve', by: 'a', digest: 'd' }), 404, 'unknown-id'],
  [`/v1/payouts/${UNKNOWN}/decisions`, json({ decision: 'maybe' }), 400, 'usage'],
  [`/v1/payouts/${UNKNOWN}/resolve`, json({ action: 'guess', by: 'a' }), 400, 'usage'],
  [`/v1/payouts/${UNKNOWN}/recheck`, json({ by: 'a' }), 404, 'unknown-id'],
  [`/v1/payouts/${UNKNOWN}/approvals`, {}, 400, 'no-policy'],
  ['/v1/find', {}, 400, 'usage'],
  ['/v1/find?id=zzzz', {}, 404, 'unknown-id'],
  ['/v1/batches/none/retry', json({ by: 'a' }), 404, 'unknown-id'],
  ['/v1/batches/none/decisions', json({ decision: 'approve', question: 'payout' }), 404, 'unknown-id'],
  ['/v1/batches/none/reports/csv', {}, 404, 'unknown-id'],
  ['/v1/batches', { method: 'POST', body: '[', headers: JSON_BODY }, 422, 'input-invalid'],
  ['/v1/batches', file('<Document/>', 'application/xml'), 422, 'input-invalid'],
  ['/v1/batches', file(''), 422, 'input-invalid'],
  ['/v1/batches?canary=0', file(FILE), 400, 'usage'],
  ['/v1/batches', file(csvOf([{ id: '1' }, { id: '1' }])), 422, 'input-invalid'],
  ['/v1/batches', file(csvOf([{ id: '1', beneficiary_id: 'ben-none' }])), 422, 'input-invalid'],
  ['/v1/moves', json({ kind: 'gift', instruction: {} }), 400, 'usage'],
  ['/v1/moves/plan', json({ kind: 'exchange', instruction: { id: 'm' } }), 422, 'input-invalid'],
  ['/v1/card-payments', json({}), 400, 'usage'],
  ['/v1/card-payments', json({ return_url: 'https://shop.example/back' }), 400, 'usage'],
  ['/v1/card-payments/none', {}, 404, 'unknown-id'],
  ['/v1/card-payments/none/amount', json({ amount: '1.00' }), 404, 'unknown-id'],
  ['/v1/accounts?uid=u-9999', {}, 502, 'bank-refused'],
  ['/v1/orders?uid=u-1001', {}, 400, 'usage'],
  ['/v1/required-details?currency=dollars', {}, 400, 'unknown-currency'],
  ['/v1/events/replay', json({ name: 'none', by: 'a' }), 400, 'usage'],
  ['/v1/events/forget', json({ name: 'none', by: 'a' }), 404, 'unknown-subscription'],
  ['/v1/statements', file('x', 'application/xml'), 422, 'input-invalid'],
  ['/v1/entries/none/match', json({ payout: UNKNOWN, reason: 'r', by: 'a' }), 404, 'unknown-id'],
  ['/v1/periods/2026-13', {}, 400, 'no-period'],
  ['/v1/period-documents/none', {}, 400, 'usage'],
  ['/v1/switches', json({ to: 'off', scope: 'user', by: 'a', reason: 'b' }), 400, 'usage'],
  ['/v1/switches', json([]), 400, 'usage'],
  ['/v1/webhooks/cards', json({}), 401, 'webhook-refused'],
];

it.each(WRONG)('%s %j', async (path, request, status, code) => {
  const { send, url, app, log } = await openGateway();
  const answer = await send(path, request);
  expect([answer.status, answer.document.code]).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json(;|$)/);
  const problem = errorDocument.strict().parse(answer.document);
  const { error, findings } = problem;
  // The document of every channel is in it, word for word.
  expect(error).toEqual({
    code,
    message: problem.detail,
    hint: problem.hint,
    ...(problem.batchId && { batchId: problem.batchId }),
  });
  expect(problem).toMatchObject({
    status,
    type: `urn:durable-payouts:problem:${code}`,
    title: expect.stringMatching(/./),
  });
  const said = [problem.detail, problem.hint, ...findings.map(({ message }) => message)].join('\n');
  expect(said).not.toMatch(/(?:^|\s)--[a-z]|payouts (?:run|list|status|report|switch|incidents)\b/);
  // Nor a setting of the gateway, and never without what to do.
  expect(said).not.toMatch(/\b(?:PAYOUTS|TEMPORAL)_[A-Z]/);
  expect(problem.hint).toMatch(/^[A-Z`].*[.\w]$/);
  // Nor in the words of a library, nor with a member that is only our code's.
  expect(said).not.toMatch(
    /Invalid (?:input|option|string)|Too (?:small|big)|Unrecognized|received|NaN|undefined|\[object/,
  );
  // It says what to do, but to a sender that proves nothing.
  expect(said).not.toMatch(/cannot process this request|the form that it must have/);
  if (code !== 'webhook-refused') expect(problem.hint).not.toBe('');
  expect(JSON.stringify(problem)).not.toContain(app.config.home);
  const id = answer.headers.get('x-request-id');
  expect([problem.requestId, problem.instance]).toEqual([id, `urn:uuid:${id}`]);
  expect(
    log.map((line) => JSON.parse(line)).filter((line) => line.requestId === id && line.msg === 'answered'),
  ).toMatchObject([{ status }]);
  expect(url).toMatch(/^http/);
});

it('a wrong method is told the right ones', async () => {
  const { send } = await openGateway();
  const methods = async (path: string, method: string) => (await send(path, { method })).headers.get('allow');
  expect(await methods('/v1/batches', 'PUT')).toBe('GET, POST');
  expect(await methods('/v1/batches/b-1', 'DELETE')).toContain('GET');
  expect(await methods('/healthz', 'POST')).toContain('GET');
  expect(await methods('/v1/none', 'PUT')).toBeNull();
});

it('the command reads its own words', async () => {
  const { send } = await openGateway();
  const hint = async (headers: Record<string, string>) => (await send('/v1/incidents/none', { headers })).document.hint;
  expect(await hint({})).toBe('GET /v1/incidents?open=true shows those that nobody has acknowledged.');
  expect(await hint({ 'payouts-channel': 'command' })).toMatch(/^payouts incidents --open/);
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

it('answers in the trace of the request, and every line of the log names it', async () => {
  const { send, log } = await openGateway();
  const traced = await send('/v1/batches', { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } });
  expect(traced.headers.get('traceparent')).toMatch(new RegExp(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-00$`));
  const [line] = log.map((it) => JSON.parse(it)).filter(({ route }) => route === '/v1/batches');
  expect(line).toMatchObject({ trace_id: TRACE, requestId: traced.headers.get('x-request-id') });
  for (const odd of ['', 'x', `ff-${TRACE}-00f067aa0ba902b7-01`, `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]) {
    const { headers } = await send('/v1/batches', { headers: { traceparent: odd } });
    expect(headers.get('traceparent')).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(headers.get('traceparent')).not.toContain(TRACE);
  }
});

it('says what is left of the limit of requests', async () => {
  const { send } = await openGateway([], { perMinute: 2 });
  const limits = ({ headers }: { headers: Headers }) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];
  expect(limits(await send('/v1/batches'))).toEqual([
    '"minute";q=2;w=60',
    expect.stringMatching(/^"minute";r=1;t=\d+$/),
  ]);
  await send('/v1/batches');
  const refused = await send('/v1/batches');
  expect([refused.status, refused.document.code]).toEqual([429, 'too-many-requests']);
  expect(limits(refused)[1]).toMatch(/^"minute";r=0;t=\d+$/);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect([...refused.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
});

it('an answer that has not changed is not sent again', async () => {
  const { send, post } = await openGateway();
  const first = await send('/v1/batches');
  const tag = first.headers.get('etag') ?? '';
  const again = (known: string) => send('/v1/batches', { headers: { 'if-none-match': known } });
  expect(tag).toMatch(/^W\/"[\w-]+"$/);
  for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
    expect(await again(known)).toMatchObject({ status: 304, document: '' });
  }
  expect((await again('"other"')).status).toBe(200);
  await post('?file=a.csv', FILE);
  expect((await again(tag)).status).toBe(200);
  expect((await send('/v1/none')).headers.get('etag')).toBeNull();
});

it('compresses what is long for who takes it', async () => {
  const { url, post } = await openGateway();
  const { batchId } = (await post('?file=a.csv', FILE)).document;
  const raw = (path: string, accepted?: string) =>
    new Promise<{ encoding: string | undefined; body: Buffer; vary: string | undefined }>((resolve, reject) => {
      const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
      httpRequest(url + path, { headers }, async (response) => {
        const body = Buffer.concat(await response.toArray());
        resolve({ encoding: response.headers['content-encoding'], body, vary: response.headers.vary });
      })
        .on('error', reject)
        .end();
    });
  for (const path of [`/v1/batches/${batchId}`, `/v1/batches/${batchId}/summary`]) {
    const plain = await raw(path);
    expect([plain.encoding, plain.vary]).toEqual([undefined, 'accept-encoding']);
    for (const accepted of ['gzip', 'br;q=1.0, GZIP;q=0.5', '*']) {
      const packed = await raw(path, accepted);
      expect(packed.encoding).toBe('gzip');
      expect(packed.body.length).toBeLessThan(plain.body.length);
      expect(JSON.parse(gunzipSync(packed.body).toString())).toEqual(JSON.parse(plain.body.toString()));
    }
    for (const refused of ['br', 'gzip;q=0', 'gzip;q=0, *', ''])
      expect((await raw(path, refused)).encoding).toBeUndefined();
  }
  expect((await raw('/v1/batches', 'gzip')).encoding).toBeUndefined();
});

it('an answer under a key that was answered before says so', async () => {
  const { post } = await openGateway();
  const keyed = () => post('?file=a.csv', FILE, { 'idempotency-key': 'k-1' });
  expect((await keyed()).headers.get('idempotency-replayed')).toBeNull();
  const again = await keyed();
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
});
