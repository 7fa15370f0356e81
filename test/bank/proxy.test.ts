import { readFileSync } from 'node:fs';
import { createServer as httpServer, type IncomingMessage } from 'node:http';
import { createServer as httpsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { fetchThrough, isDirect, proxyAt } from '../../src/bank/proxy.ts';
import { createTransport, type HttpRequest } from '../../src/bank/transport.ts';
import { causeOf } from '../../src/domain/causes.ts';
import { proxiesOf } from '../../src/platform/config/bank.ts';
import { ConfigError } from '../../src/platform/config/key.ts';
import { issueCertificate, makeAuthority } from '../support/certificate.ts';
import { newFolder } from '../support/new-folder.ts';

async function listening(server: Server): Promise<number> {
  server.on('connection', (socket) => socket.on('error', () => undefined));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy that leads every host to this machine, and what it was asked for. */
async function proxy(status = 200) {
  const asked: { target: string | undefined; authorization: string | undefined }[] = [];
  const server = httpServer().on('connect', (request: IncomingMessage, socket) => {
    asked.push({ target: request.url, authorization: request.headers['proxy-authorization'] });
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} no\r\n\r\n`);
    const there = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.pipe(socket).pipe(there);
    });
    for (const end of [there, socket]) end.on('error', () => there.destroy());
  });
  return { asked, port: await listening(server) };
}

async function bankOverTls() {
  const folder = newFolder();
  const ca = readFileSync(makeAuthority(folder));
  const { cert, key } = issueCertificate(folder, 'bank', 'DNS:bank.example');
  const server = httpsServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
    request.resume().on('end', () => response.end(`${request.method} ${request.headers.host}`));
  });
  return { ca, port: await listening(server) };
}

const request = (method: 'GET' | 'POST', more: Partial<HttpRequest> = {}): HttpRequest => ({
  method,
  target: '/',
  headers: {},
  signal: AbortSignal.timeout(5_000),
  ...more,
});
const LIMITS = { connectMs: 2_000, bodyBytesMax: 1_024 };

it('carries reads and writes to a host that only it can reach, over TLS to the end', async () => {
  const [bank, way] = [await bankOverTls(), await proxy()];
  const origin = `https://bank.example:${bank.port}`;
  const through = proxyAt(`http://alice:p%40ss@127.0.0.1:${way.port}`);
  const transport = createTransport(origin, LIMITS, { tls: { ca: bank.ca }, proxy: through });
  onTestFinished(() => transport.close());
  const exchanged = async (method: 'GET' | 'POST') => (await transport.exchange(request(method))).body;
  for (let reads = 0; reads < 4; reads += 1) expect(await exchanged('GET')).toBe(`GET bank.example:${bank.port}`);
  const ofReads = way.asked.length;
  expect(ofReads).toBeLessThan(4);
  for (let writes = 1; writes < 4; writes += 1) {
    expect(await exchanged('POST')).toBe(`POST bank.example:${bank.port}`);
    // One new connection a write.
    expect(way.asked).toHaveLength(ofReads + writes);
  }
  const authorization = `Basic ${Buffer.from('alice:p@ss').toString('base64')}`;
  const all = { target: `bank.example:${bank.port}`, authorization };
  expect(way.asked).toEqual(Array(way.asked.length).fill(all));
});

it('a write is stopped before its first byte where its sender says so', async () => {
  const [bank, way] = [await bankOverTls(), await proxy()];
  const through = proxyAt(`127.0.0.1:${way.port}`);
  const transport = createTransport(`https://bank.example:${bank.port}`, LIMITS, {
    tls: { ca: bank.ca },
    proxy: through,
  });
  onTestFinished(() => transport.close());
  const beforeFirstByte = () => {
    throw new Error('no longer ours');
  };
  await expect(transport.exchange(request('POST', { beforeFirstByte }))).rejects.toMatchObject({ sent: false });
  expect(way.asked).toHaveLength(1);
});

it.each([
  [407, 'proxy-authentication'],
  [403, 'proxy-refuses'],
  [502, 'proxy-refuses'],
])('that answers %s: nothing was sent, and the cause is %s', async (status, name) => {
  const through = proxyAt(`127.0.0.1:${(await proxy(status)).port}`);
  const transport = createTransport('https://bank.example', LIMITS, { proxy: through });
  const error = await transport.exchange(request('POST')).catch((it: unknown) => it);
  expect(error).toMatchObject({ sent: false });
  expect(causeOf(error, 'bank')?.name).toBe(name);
  await transport.close();
});

it('that is not there is told apart from the bank', async () => {
  const transport = createTransport('https://bank.example', LIMITS, { proxy: proxyAt('127.0.0.1:1') });
  const error = await transport.exchange(request('POST')).catch((it: unknown) => it);
  expect(error).toMatchObject({ sent: false });
  expect(causeOf(error, 'bank')?.name).toBe('proxy-unreachable');
  await transport.close();
});

it.each([
  ['https://bank.example', 'bank.example', true],
  ['https://api.bank.example', 'bank.example', true],
  ['https://api.bank.example', '.bank.example', true],
  ['https://api.bank.example', '*.bank.example', true],
  ['https://otherbank.example', 'bank.example', false],
  ['https://bank.example', 'a.example, BANK.example:443', true],
  ['https://bank.example:8443', 'bank.example:443', false],
  ['https://10.1.2.3', '10.0.0.0/8', true],
  ['https://11.1.2.3', '10.0.0.0/8', false],
  ['https://[fd00::1]', 'fd00::1', true],
  ['https://[fd00::1]', 'fd00::/8', true],
  ['https://bank.example', '*', true],
  ['https://bank.example', '', false],
  ['http://127.0.0.1:8080', '', true],
  ['http://localhost', '', true],
])('%s with NO_PROXY=%s is reached directly: %s', (url, noProxy, direct) => {
  expect(isDirect(new URL(url), noProxy)).toBe(direct);
});

const proxies = (given: string | undefined, env = {}) =>
  proxiesOf({ PAYOUTS_PROXY: given } as Parameters<typeof proxiesOf>[0], env);

it('is the one of the setting, of the environment where the setting says so, and else none', () => {
  const env = { HTTPS_PROXY: 'http://one:3128', http_proxy: 'two:3128', NO_PROXY: 'inside.example' };
  expect(proxies(undefined, env)('https://bank.example')).toBeUndefined();
  expect(proxies('http://three:3128', env)('https://bank.example')?.origin).toBe('http://three:3128');
  expect(proxies('http://three:3128', env)('https://inside.example')).toBeUndefined();
  const ofEnvironment = proxies('environment', env);
  expect(ofEnvironment('https://bank.example')?.origin).toBe('http://one:3128');
  expect(ofEnvironment('http://bank.example')?.origin).toBe('http://two:3128');
  expect(ofEnvironment('https://inside.example')).toBeUndefined();
});

it.each(['socks5://proxy:1080', 'http://proxy/path', 'http://'])('%s is none', (given) => {
  expect(() => proxies(given)).toThrow(ConfigError);
});

it('carries the requests of a library, with their form and its answer', async () => {
  const there = await listening(
    httpServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ host: request.headers.host, body }));
    }),
  );
  const way = await proxy();
  const ask = fetchThrough(proxyAt(`http://alice:p%40ss@127.0.0.1:${way.port}`));
  const body = new URLSearchParams({ code: 'a b' });
  const answer = await ask(`http://login.example:${there}/token`, { method: 'POST', body, redirect: 'manual' });
  expect([answer.status, await answer.json()]).toEqual([401, { host: `login.example:${there}`, body: 'code=a+b' }]);
  expect(way.asked).toMatchObject([
    { target: `login.example:${there}`, authorization: expect.stringMatching(/^Basic /) },
  ]);
  const refused = fetchThrough(proxyAt(`http://127.0.0.1:${(await proxy(407)).port}`));
  const error = await refused(`http://login.example:${there}/`).catch((thrown: unknown) => thrown);
  expect(causeOf(error, 'sign-in')?.name).toBe('proxy-authentication');
});
