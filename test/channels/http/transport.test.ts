import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fastify } from 'fastify';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { callerKey } from '../../../src/channels/http/admission.ts';
import { gatewayTransport } from '../../../src/channels/http/gateway.ts';
import {
  answerProxiesOnly,
  assertEncrypted,
  identifyClients,
  PLAIN,
  startGateway,
} from '../../../src/channels/http/gateway-server.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { type CertificateFiles, makeCertificate } from '../../support/certificate.ts';
import { folderOfFile } from '../../support/new-folder.ts';
import { openGateway } from './running-gateway.ts';

const folder = folderOfFile();
let files: CertificateFiles;

beforeAll(() => {
  files = makeCertificate(folder);
});

const configOf = ({ cert, key }: Partial<CertificateFiles>) =>
  loadConfig({ PAYOUTS_GATEWAY_TLS_CERT: cert ?? '', PAYOUTS_GATEWAY_TLS_KEY: key ?? '' });

const problemOf = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

describe('an address that other machines reach', () => {
  it.each(['0.0.0.0', '::', '192.0.2.7', 'gateway.example', '127.0.0.1.example'])('%s needs TLS', (host) => {
    expect(problemOf(() => assertEncrypted(PLAIN, host))).toMatchObject({
      key: 'PAYOUTS_GATEWAY_TLS_CERT',
      hint: expect.stringContaining('PAYOUTS_GATEWAY_TRUSTED_PROXY'),
    });
    assertEncrypted({ ...PLAIN, proxies: ['192.0.2.1'] }, host);
    assertEncrypted({ ...PLAIN, tls: files }, host);
  });

  it.each(['127.0.0.1', 'localhost', '::1'])('is none of %s', (host) => assertEncrypted(PLAIN, host));

  it('is refused before anything listens there', async () => {
    const { app } = await openGateway([{ name: 'alice', token: 'token-of-alice' }]);
    await expect(startGateway(app, { host: '0.0.0.0', port: 0 })).rejects.toMatchObject({
      key: 'PAYOUTS_GATEWAY_TLS_CERT',
    });
  });
});

describe('a gateway with a certificate', () => {
  async function open(): Promise<URL> {
    const { app } = await openGateway();
    const transport = gatewayTransport(configOf(files));
    const gateway = await startGateway(app, { host: '127.0.0.1', port: 0, transport });
    onTestFinished(() => gateway.close());
    return new URL(gateway.url);
  }

  it('speaks TLS and nothing else', async () => {
    const url = await open();
    expect(url.protocol).toBe('https:');
    const request = get(new URL('/healthz', url), { ca: readFileSync(files.cert), agent: false });
    const [answer] = await once(request, 'response');
    answer.resume();
    expect(answer.statusCode).toBe(200);
    await expect(fetch(`http://${url.host}/healthz`)).rejects.toThrow();
  });

  it('speaks no TLS older than 1.2', async () => {
    const { hostname: host, port } = await open();
    const dial = (maxVersion: 'TLSv1.1' | 'TLSv1.2') =>
      connect({
        ...{ host, port: Number(port), ca: readFileSync(files.cert) },
        ...{ minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' },
      });
    const [refused] = await once(
      dial('TLSv1.1').on('secureConnect', () => undefined),
      'error',
    );
    expect(refused).toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
    const socket = dial('TLSv1.2');
    await once(socket, 'secureConnect');
    expect(socket.getProtocol()).toBe('TLSv1.2');
    socket.destroy();
  });

  it('needs both files, and two that belong together', () => {
    expect(problemOf(() => configOf({ cert: files.cert }))).toMatchObject({ key: 'PAYOUTS_GATEWAY_TLS_KEY' });
    expect(problemOf(() => configOf({ key: files.key }))).toMatchObject({ key: 'PAYOUTS_GATEWAY_TLS_CERT' });
    const absent = configOf({ ...files, key: join(folder, 'absent') });
    expect(problemOf(() => gatewayTransport(absent))).toMatchObject({ key: 'PAYOUTS_GATEWAY_TLS_KEY' });
    const other = configOf({ ...files, key: makeCertificate(folder, 'other').key });
    expect(problemOf(() => gatewayTransport(other))).toMatchObject({ key: 'PAYOUTS_GATEWAY_TLS_CERT' });
  });

  it('shows its key in no dump', () => {
    expect(JSON.stringify(gatewayTransport(configOf(files)))).not.toContain('PRIVATE KEY');
  });
});

describe('a gateway behind a proxy', () => {
  it.each([
    ['the proxy', '192.0.2.9', 200],
    ['the proxy, as a socket of both families shows it', '::ffff:192.0.2.9', 200],
    ['this machine', '127.0.0.1', 200],
    ['another machine', '192.0.3.9', 403],
    ['another machine that names the proxy', '198.51.100.1', 403],
  ])('answers %s as it should', async (_case, remoteAddress, status) => {
    const app = fastify();
    app.setErrorHandler((_error, _request, reply) => reply.code(403).send());
    answerProxiesOnly(app, { ...PLAIN, proxies: ['192.0.2.0/24'] });
    app.get('/', async () => 'ok');
    const headers = { 'x-forwarded-for': '192.0.2.9' };
    expect((await app.inject({ url: '/', remoteAddress, headers })).statusCode).toBe(status);
  });

  it.each([
    ['whom the proxy names', '192.0.2.9', '203.0.113.5', '203.0.113.5'],
    ['nobody whom a visitor has named', '192.0.2.9', '10.0.0.1, 203.0.113.5', '203.0.113.5'],
    ['whom the first of two proxies names', '192.0.2.9', '203.0.113.5, 192.0.2.10', '203.0.113.5'],
    ['the proxy, where it names nobody', '192.0.2.9', 'unknown', '192.0.2.9'],
    ['this machine by itself', '127.0.0.1', '203.0.113.5', '127.0.0.1'],
  ])('counts requests of %s', async (_case, remoteAddress, named, address) => {
    const app = fastify();
    identifyClients(app, { ...PLAIN, proxies: ['192.0.2.0/24'] });
    app.get('/', async (request) => callerKey(request));
    const headers = { 'x-forwarded-for': named };
    expect((await app.inject({ url: '/', remoteAddress, headers })).body).toBe(address);
  });

  it.each(['/openapi.json', '/%6fpenapi.json'])('shows %s only to callers', async (path) => {
    const { app } = await openGateway([{ name: 'erp', token: 'T'.repeat(32) }]);
    // Of this machine, though not by its name: the test reaches no other.
    const transport = { tls: undefined, proxies: ['127.0.0.1'] };
    const gateway = await startGateway(app, { host: '::ffff:127.0.0.1', port: 0, transport });
    onTestFinished(() => gateway.close());
    const url = `http://127.0.0.1:${new URL(gateway.url).port}${path}`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: `Bearer ${'T'.repeat(32)}` } })).status).toBe(200);
  });

  it('takes no list that cannot be read', () => {
    expect(problemOf(() => loadConfig({ PAYOUTS_GATEWAY_TRUSTED_PROXY: 'proxy.example' }))).toMatchObject({
      key: 'PAYOUTS_GATEWAY_TRUSTED_PROXY',
    });
  });
});
