import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { placeIn } from '../../../src/platform/codec/encryption.ts';
import type { ApiRequest } from '../../../src/platform/embedded/web-ui.ts';
import { startWebUi, type WebUi } from '../../../src/platform/embedded/web-ui.ts';
import { codecKeys } from '../../support/codec-keys.ts';
import { ownPort } from '../../support/own-port.ts';

const CODEC = { keys: codecKeys(), namespace: 'default' };
const close = async (): Promise<void> => undefined;

/** Notes what it is asked for. */
const api = {
  close,
  async answer({ method, target, body }: ApiRequest) {
    reached.push(`${method} ${target}${body}`);
    return { status: 200, json: {} };
  },
};

const FILES: Readonly<Record<string, { type: string; body: string; csp?: string }>> = {
  '/': { type: 'text/html', body: 'the page', csp: "script-src 'self'" },
  '/favicon.ico': { type: 'image/x-icon', body: 'an icon' },
  '/api/v1/settings': { type: 'application/json', body: '{"Version":"2.42.1","FeedbackURL":"x"}' },
};
const files = {
  close,
  async read(path: string) {
    const file = FILES[path];
    return file && { ...file, body: Buffer.from(file.body) };
  },
};

let reached: string[];
let ui: WebUi;
let port: number;

beforeAll(async () => {
  port = await ownPort();
  ui = await startWebUi({ port, api, files, codec: CODEC });
});

afterAll(() => ui.close());

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

it.each([
  ['a page, by what a browser asks for', '/namespaces/default/schedules/a.b', 'text/html,*/*', 200, 'the page'],
  ['a page, by its path', '/namespaces/default/workflows', '*/*', 200, 'the page'],
  ['a file', '/favicon.ico?v=1', '*/*', 200, 'an icon'],
  ['no page in place of a file', '/_app/immutable/none.js', '*/*', 404, 'The Temporal Web UI has no such file.\n'],
])('answers with %s', async (_what, path, accept, status, body) => {
  const answer = await fetch(`${ui.url}${path}`, { headers: { accept } });
  expect({ status: answer.status, body: await answer.text() }).toEqual({ status, body });
  expect(answer.headers.get('x-frame-options')).toBe('SAMEORIGIN');
  expect(answer.headers.get('content-security-policy')).toBe(body === 'the page' ? "script-src 'self'" : null);
});

it('shows Markdown in a frame that runs no script and loads nothing', async () => {
  const content = encodeURIComponent('**held**<script>alert(1)</script>');
  const answer = await fetch(`${ui.url}/render?content=${content}&theme=dark`);
  expect(await answer.text()).toContain('<strong>held</strong>');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/; sandbox [a-z -]+$/);
  expect(policy).not.toContain('allow-scripts');
});

it('asks the API for what the page asks, and nothing of its headers', async () => {
  const own = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}`, cookie: 'a=b', authorization: 'x' };
  const { headers } = await ask('POST', `${READ}/x?a=b`, own, '{"reason":"y"}');
  expect(reached).toEqual([`POST ${READ}/x?a=b{"reason":"y"}`]);
  expect(headers['content-type']).toBe('application/json');
});

it('reads no body without end', async () => {
  const own = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}`, 'content-type': 'application/json' };
  expect(await ask('POST', `${READ}/x`, own, 'x'.repeat(9 * 1024 * 1024))).toMatchObject({ status: 413 });
  expect(reached).toEqual([]);
});

it('answers no request target in absolute form', async () => {
  const { status } = await ask('GET', `http://page.invalid${READ}`, { host: `127.0.0.1:${port}` });
  expect(status).toBe(400);
  expect(reached).toEqual([]);
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
  ['/codec/decode?preserveStorageRefs=true', 'default', 200],
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

it('shows the page where its codec server is, and the version that its paths go by', async () => {
  const { headers } = await ask('GET', '/api/v1/settings', { host: `localhost:${port}` });
  expect(headers['content-type']).toBe('application/json');
  // As the UI asks for it.
  const settings = (await (await fetch(`http://127.0.0.1:${port}/api/v1/settings?`)).json()) as object;
  expect(settings).toMatchObject({ Version: '2.42.1', Codec: { Endpoint: `http://127.0.0.1:${port}/codec` } });
});

it('decrypts for nobody where callers need a token', async () => {
  const free = await ownPort();
  const closed = await startWebUi({ port: free, api, files, codec: undefined });
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

it('says so when its files cannot be read', async () => {
  const free = await ownPort();
  const read = () => Promise.reject(new Error('the CLI is gone'));
  const alone = await startWebUi({ port: free, api, files: { read, close }, codec: CODEC });
  try {
    const answer = await fetch(`${alone.url}/`);
    expect({ status: answer.status, text: await answer.text() }).toEqual({
      status: 502,
      text: 'The files of the Temporal Web UI cannot be read from the Temporal CLI.\n',
    });
  } finally {
    await alone.close();
  }
});

const originOf = (origin: string): string =>
  origin.startsWith('http://') && !origin.includes('page') ? `${origin}:${port}` : origin;
