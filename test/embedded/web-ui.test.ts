import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { placeIn } from '../../src/codec/encryption.ts';
import { startWebUi, type WebUi } from '../../src/embedded/web-ui.ts';
import { codecKeys } from '../support/codec-keys.ts';
import { ownPort } from '../support/own-port.ts';

const CODEC = { keys: codecKeys(), namespace: 'default' };

/** A UI server, which notes what reaches it. */
let upstream: Server;
let reached: string[];
let ui: WebUi;
let upstreamPort: number;
let port: number;

beforeAll(async () => {
  upstream = createServer((incoming, answer) => {
    reached.push(`${incoming.method} ${incoming.headers.host} ${incoming.url} ${Object.keys(incoming.headers).sort()}`);
    incoming.resume();
    if (incoming.url?.startsWith('/namespaces/')) {
      answer.setHeader('content-type', 'text/html').end('<script>base: "^/api*"</script>');
      return;
    }
    answer.setHeader('set-cookie', 'a=b').setHeader('content-type', 'application/json').end('{"Version":"2.42.1"}');
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  upstreamPort = (upstream.address() as AddressInfo).port;
  port = await ownPort();
  ui = await startWebUi(port, { uiPort: upstreamPort, apiPort: upstreamPort }, CODEC);
});

afterAll(async () => {
  await ui.close();
  upstream.close();
});

async function ask(method: string, path: string, headers: Record<string, string>, body = '') {
  reached = [];
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false }).end(body);
  const [answer] = await once(outgoing, 'response');
  answer.resume();
  return { status: answer.statusCode as number, headers: answer.headers as Record<string, string> };
}

const READ = '/api/v1/namespaces';

it.each([
  ['a read without an origin', 'GET', '127.0.0.1', undefined, 200],
  ['a read of its own page', 'GET', 'localhost', 'http://localhost', 200],
  ['a write of its own page', 'POST', '127.0.0.1', 'http://127.0.0.1', 200],
  ['a write without an origin', 'POST', '127.0.0.1', undefined, 403],
  ['a write of another name of this machine', 'POST', '127.0.0.1', 'http://localhost', 403],
  ['a write of a page in a frame', 'POST', '127.0.0.1', 'null', 403],
  ['a read of another site', 'GET', '127.0.0.1', 'http://page.invalid', 403],
  ['a name that leads here', 'GET', 'page.invalid', undefined, 403],
  ['a name that leads here, by its own page', 'POST', 'page.invalid', 'http://page.invalid', 403],
])('answers %s as it should', async (_case, method, name, origin, status) => {
  const headers = { host: `${name}:${port}`, ...(origin === undefined ? {} : { origin: originOf(origin) }) };
  expect(await ask(method, READ, headers)).toMatchObject({ status });
  expect(reached).toHaveLength(status === 200 ? 1 : 0);
});

it('answers through a tunnel that has another port, to pages of the tunnel alone', async () => {
  const host = 'localhost:1';
  expect(await ask('POST', READ, { host, origin: 'http://localhost:1' })).toMatchObject({ status: 200 });
  expect(await ask('POST', READ, { host, origin: `http://localhost:${port}` })).toMatchObject({ status: 403 });
});

it.each(['page.invalid@127.0.0.1', '127.0.0.1.page.invalid'])('takes %j for no name of here', async (host) => {
  expect(await ask('GET', READ, { host })).toMatchObject({ status: 403 });
});

it('gives the page back its base, and the policy that allows its own script', async () => {
  const { headers } = await ask('GET', '/namespaces/default', { host: `127.0.0.1:${port}` });
  const digest = createHash('sha256').update('base: ""').digest('base64');
  expect(headers['content-security-policy']).toContain(`script-src 'strict-dynamic' 'sha256-${digest}';`);
});

it('asks the API in the only way it answers, and passes on no header of either side', async () => {
  const { headers } = await ask('GET', READ, { host: `127.0.0.1:${port}`, cookie: 'a=b', authorization: 'x' });
  expect(reached).toEqual([
    `GET 127.0.0.1:${upstreamPort} HTTP://127.0.0.1:${upstreamPort}${READ} connection,cookie,host,x-csrf-token`,
  ]);
  expect(headers['content-type']).toBe('application/json');
  expect(headers).not.toHaveProperty('set-cookie');
});

it('writes no file', async () => {
  const own = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` };
  expect(await ask('POST', '/favicon.ico', own)).toMatchObject({ status: 405 });
  expect(reached).toEqual([]);
});

it.each([
  ['the temporal command', { 'content-type': 'application/json' } as Record<string, string>, 200],
  ['a command that names its charset', { 'content-type': 'application/json; charset=utf-8' }, 200],
  ['a type that only begins like it', { 'content-type': 'application/jsonp' }, 403],
  ['its own page', { 'content-type': 'application/json', origin: 'http://127.0.0.1' }, 200],
  ['a page of another site', { 'content-type': 'application/json', origin: 'http://page.invalid' }, 403],
  ['a form of another site that hides its origin', { 'content-type': 'text/plain' }, 403],
  ['a name that leads here', { 'content-type': 'application/json', host: 'page.invalid' }, 403],
])('decrypts for %s as it should', async (_who, { origin, ...headers }, status) => {
  const own: Record<string, string> = origin === undefined ? {} : { origin: originOf(origin) };
  const answer = await ask(
    'POST',
    '/codec/decode',
    { host: `127.0.0.1:${port}`, ...headers, ...own },
    '{"payloads":[]}',
  );
  expect(answer).toMatchObject({ status });
  expect(reached).toEqual([]);
});

it.each([
  ['/codec/default/decode', 'default', 200],
  ['/codec/default/decode', 'other', 400],
  ['/codec/%ff/decode', 'default', 400],
])('takes the namespace of the path, %s, together with the header %s', async (path, namespace, status) => {
  const headers = { host: `127.0.0.1:${port}`, 'content-type': 'application/json', 'x-namespace': namespace };
  expect(await ask('POST', path, headers, '{"payloads":[]}')).toMatchObject({ status });
});

it.each([
  ['a page of a workflow', '/namespaces/default/workflows/payout%2Fr-1/run-1/history', undefined, 'payout/r-1'],
  ['a command that names another one', '/namespaces/default/workflows/payout%2Fr-1/', 'payout/r-2', 'payout/r-2'],
  [
    'the page that starts a workflow',
    '/namespaces/default/workflows/start-workflow?workflowId=w',
    undefined,
    undefined,
  ],
  ['the list of workflows', '/namespaces/default/workflows', undefined, undefined],
])('encrypts for the workflow of %s', async (_page, path, named, workflowId) => {
  const origin = `http://127.0.0.1:${port}`;
  const headers = { host: `127.0.0.1:${port}`, origin, referer: origin + path, 'content-type': 'application/json' };
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: '/codec/encode',
    method: 'POST',
    agent: false,
    headers: named === undefined ? headers : { ...headers, 'x-workflow-id': named },
  }).end('{"payloads":[{"metadata":{"encoding":"anNvbi9wbGFpbg=="},"data":"e30="}]}');
  const [answer] = await once(outgoing, 'response');
  const { payloads } = (await json(answer)) as { payloads?: [{ metadata: Record<string, string> }] };
  const encryptedFor = payloads?.[0].metadata.context;
  expect(encryptedFor && placeIn(Buffer.from(encryptedFor, 'base64').toString()).workflowId).toBe(workflowId);
  expect(answer.statusCode).toBe(workflowId === undefined ? 400 : 200);
});

it('tells the page where its codec server is, and the version that its paths go by', async () => {
  const { headers } = await ask('GET', '/api/v1/settings', { host: `localhost:${port}` });
  expect(headers['content-type']).toBe('application/json');
  // As the UI asks for it.
  const settings = (await (await fetch(`http://127.0.0.1:${port}/api/v1/settings?`)).json()) as object;
  expect(settings).toMatchObject({ Version: '2.42.1', Codec: { Endpoint: `http://127.0.0.1:${port}/codec` } });
});

it('decrypts for nobody where callers need a token', async () => {
  const free = await ownPort();
  const closed = await startWebUi(free, { uiPort: upstreamPort, apiPort: upstreamPort }, undefined);
  try {
    for (const headers of [{}, { origin: closed.url }]) {
      const asked = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' };
      const answer = await fetch(`${closed.url}/codec/decode`, asked);
      expect({ status: answer.status, text: await answer.text() }).toMatchObject({
        status: 403,
        text: expect.stringContaining('/codec of the gateway'),
      });
    }
    expect(await (await fetch(`${closed.url}/api/v1/settings?`)).json()).toMatchObject({ Codec: { Endpoint: '' } });
  } finally {
    await closed.close();
  }
});

it('says so when the server is not there', async () => {
  const free = await ownPort();
  const alone = await startWebUi(free, { uiPort: 1, apiPort: 1 }, CODEC);
  try {
    expect((await fetch(`${alone.url}${READ}`)).status).toBe(502);
  } finally {
    await alone.close();
  }
});

const originOf = (origin: string): string =>
  origin.startsWith('http://') && !origin.includes('page') ? `${origin}:${port}` : origin;
