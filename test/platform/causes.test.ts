import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as httpServer, type RequestListener } from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { Client as PgClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBank } from '../../src/bank/client.ts';
import { CAUSES, type CauseName, causeInWords, causeOf, type SideName } from '../../src/domain/causes.ts';
import { problemOf } from '../../src/files/intake/problem-of.ts';
import { Secret } from '../../src/platform/config/key.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { connectWorker, installRuntime } from '../../src/platform/temporal/worker-runtime.ts';
import { openStore } from '../../src/store/open.ts';
import { issueCertificate, makeAuthority } from '../support/certificate.ts';
import { configWith } from '../support/config-with.ts';

/** Each cause is made for real, with the product's own connections, and told by the one table. */

const folder = mkdtempSync(join(tmpdir(), 'payouts-causes-'));
const closers: (() => unknown)[] = [];
const produced = new Set<CauseName>();

let files: Record<'ca' | 'good' | 'goodKey' | 'old' | 'oldKey' | 'other' | 'otherKey', Buffer>;

beforeAll(() => {
  const ca = makeAuthority(folder);
  const read = ({ cert, key }: { cert: string; key: string }) => [readFileSync(cert), readFileSync(key)] as const;
  const [good, goodKey] = read(issueCertificate(folder, 'good', 'IP:127.0.0.1'));
  const [old, oldKey] = read(issueCertificate(folder, 'old', 'IP:127.0.0.1', -1));
  const [other, otherKey] = read(issueCertificate(folder, 'other', 'DNS:other.example'));
  files = { ca: readFileSync(ca), good, goodKey, old, oldKey, other, otherKey };
});
afterAll(() => {
  for (const close of closers) close();
  rmSync(folder, { recursive: true, force: true });
});

async function listening(server: Server): Promise<number> {
  server.on('connection', (socket: net.Socket) => socket.on('error', () => undefined));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}
const plain = (answer: RequestListener) => listening(httpServer(answer));
const answering = (status: number, body = '', headers = {}) =>
  plain((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
  });
const secured = (cert: Buffer, key: Buffer) =>
  listening(http2.createSecureServer({ cert, key, allowHTTP1: true }, (_, response) => response.end()));
const silent = () => listening(net.createServer(() => undefined));
const resetting = () => listening(net.createServer((socket) => socket.once('data', () => socket.resetAndDestroy())));

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable('it works'),
    (error: unknown) => error,
  );

/** What the product's client of the bank meets there. */
async function atBank(baseUrl: string): Promise<unknown> {
  const bank = createBank({
    baseUrl,
    apiKey: 'key-of-tests',
    apiSecret: 'secret-of-tests',
    limits: { readTotalMs: 1_000, connectMs: 500 },
  });
  return thrownBy(bank.authenticate()).finally(() => bank.close());
}

const ONE_TRY = { connectTimeout: '300ms' } as const;
/** For what answers, on a busy machine too. */
const PATIENT = { connectTimeout: '10s' } as const;
const clusterAt = (address: string, more = {}) => ({
  config: configWith({
    temporal: {
      kind: 'cluster',
      namespace: 'payouts',
      address,
      connect: new Secret({ address, ...ONE_TRY, ...more }),
    },
    codecKeys: () => undefined,
  }),
  at: { temporalAddress: address, namespace: 'payouts' },
});
/** What commands meet at a Temporal, and what workers do: one client has no errors worth the name, the other ones of its own. */
const CLIENTS = [
  ['a command', ({ config, at }: ReturnType<typeof clusterAt>) => connectTemporal(config, at)],
  ['a worker', ({ config, at }: ReturnType<typeof clusterAt>) => connectWorker(config, at)],
] as const;

/** A gRPC server that answers every call with this status. */
function grpc(status: number, words: string): Promise<number> {
  const server = http2.createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    const type = { ':status': 200, 'content-type': 'application/grpc' };
    stream.respond({ ...type, 'grpc-status': String(status), 'grpc-message': words }, { endStream: true });
  });
  return listening(server);
}

/** A bank whose `/v1/auth` always gives one token, which nothing else accepts. */
const keepingItsToken = (): Promise<number> =>
  listening(
    httpServer((request, response) => {
      const isAuth = request.url === '/v1/auth';
      response.writeHead(isAuth ? 200 : 401, { 'content-type': 'application/json' });
      response.end(isAuth ? '{"code":0,"data":{"access_token":"old","expired_in":3600}}' : '{"code":1001}');
    }),
  );

function isReported(error: unknown, side: SideName, name: CauseName): void {
  expect(causeOf(error, side)?.name, String(error)).toBe(name);
  produced.add(name);
  const { message, hint } = causeInWords(error, side) ?? expect.fail('nothing is told');
  expect(`${message} ${hint}`).not.toMatch(/[{}]|of-tests|hunter2/);
}

describe('the bank', () => {
  const at = (scheme: string, port: number) => `${scheme}://127.0.0.1:${port}`;
  it.each<[CauseName, () => Promise<string>]>([
    ['nothing-listens', async () => 'http://127.0.0.1:1'],
    ['name-not-found', async () => 'http://nowhere.invalid'],
    ['silent', async () => at('http', await silent())],
    ['closes-the-connection', async () => at('http', await resetting())],
    ['answers-without-tls', async () => at('https', await answering(200))],
    ['certificate-of-unknown-ca', async () => at('https', await secured(files.good, files.goodKey))],
    ['key-refused', async () => at('http', await answering(401, '{"code":2002}'))],
    ['redirects', async () => at('http', await answering(302, '', { location: 'https://login.example' }))],
    ['wrong-path', async () => at('http', await answering(404, '<html>no</html>'))],
    ['asks-for-fewer-calls', async () => at('http', await answering(429))],
    ['fails-itself', async () => at('http', await answering(503, '<html>maintenance</html>'))],
    ['answers-something-else', async () => at('http', await answering(200, '<html>welcome</html>'))],
    ['token-missing', async () => at('http', await answering(200, '{"code":0,"data":{}}'))],
  ])('%s', async (name, place) => {
    const error = await atBank(await place());
    // Where names are looked up by nobody, no server answers for one that is not there.
    if (name === 'name-not-found' && causeOf(error, 'bank')?.name === 'dns-silent') return;
    isReported(error, 'bank', name);
    const { message, code } = problemOf(error);
    expect([message, code]).toEqual([
      causeInWords(error, 'bank')?.message,
      expect.stringMatching(/^(bank-|authentication-)/),
    ]);
  });
});

it('the bank that answers a refused token again: token-repeated', async () => {
  const baseUrl = `http://127.0.0.1:${await keepingItsToken()}`;
  const bank = createBank({ baseUrl, apiKey: 'key', apiSecret: 'hunter2' });
  isReported(await thrownBy(bank.accounts.master()), 'bank', 'token-repeated');
  await bank.close();
});

describe.each(CLIENTS)('Temporal, for %s', (_, connect) => {
  const here = (port: number, more = {}) => clusterAt(`127.0.0.1:${port}`, more);
  const trusting = (more = {}) => ({ tls: { serverRootCACertificate: files.ca, ...more } });
  beforeAll(async () => {
    const { pino } = await import('pino');
    installRuntime(pino({ level: 'silent' }));
  });
  it.each<[CauseName, () => Promise<ReturnType<typeof clusterAt>>]>([
    ['nothing-listens', async () => here(1)],
    ['answers-without-tls', async () => here(await grpc(12, ''), { tls: true })],
    ['wants-tls', async () => here(await secured(files.good, files.goodKey))],
    ['certificate-of-unknown-ca', async () => here(await secured(files.good, files.goodKey), { tls: true })],
    ['certificate-expired', async () => here(await secured(files.old, files.oldKey), trusting())],
    ['certificate-of-another-host', async () => here(await secured(files.other, files.otherKey), trusting())],
    [
      'client-certificate-refused',
      async () => {
        const { ca, good: cert, goodKey: key } = files;
        return here(await listening(http2.createSecureServer({ ca, cert, key, requestCert: true })), trusting());
      },
    ],
    [
      'own-certificate-other-key',
      async () => here(1, trusting({ clientCertPair: { crt: files.good, key: files.otherKey } })),
    ],
    [
      'own-certificate-unusable',
      async () => here(1, trusting({ clientCertPair: { crt: Buffer.from('x'), key: Buffer.from('y') } })),
    ],
    ['temporal-not-there', async () => here(await answering(200, '<html>the Web UI</html>'))],
    ['temporal-key-refused', async () => here(await grpc(16, 'Request unauthorized.'), PATIENT)],
    ['temporal-not-allowed', async () => here(await grpc(7, 'Request unauthorized.'), PATIENT)],
    ['address-unusable', async () => clusterAt('127.0.0.1:port')],
    ['closes-the-connection', async () => here(await resetting())],
  ])('%s', async (name, place) => {
    isReported(await thrownBy(connect(await place())), 'temporal', name);
  });

  it('names the port that is used where the address has none', async () => {
    const error = await thrownBy(connect(clusterAt('127.0.0.1')));
    expect(problemOf(error).message).toContain('127.0.0.1:7233');
    expect(problemOf(error).hint).toContain('names no port');
  });
});

describe('PostgreSQL', () => {
  const speaking = (answers: (socket: net.Socket) => void) =>
    listening(net.createServer((socket) => socket.once('data', () => answers(socket))));
  const withTls = (cert: Buffer, key: Buffer) =>
    speaking((socket) => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => undefined);
    });
  const at = (port: number, more = '') => `postgres://payouts:hunter2@127.0.0.1:${port}/payouts${more}`;
  const verified = () => `?sslmode=verify-full&sslrootcert=${join(folder, 'ca.pem')}`;

  it.each<[CauseName, () => Promise<string>]>([
    ['nothing-listens', async () => at(1)],
    ['answers-without-tls', async () => at(await speaking((socket) => socket.write('N')), '?sslmode=verify-full')],
    ['certificate-expired', async () => at(await withTls(files.old, files.oldKey), verified())],
    ['certificate-of-another-host', async () => at(await withTls(files.other, files.otherKey), verified())],
    ['certificate-of-unknown-ca', async () => at(await withTls(files.good, files.goodKey), '?sslmode=verify-full')],
    ['store-ended', async () => at(await speaking((socket) => socket.end()))],
    ['store-starting', async () => at(await speaking((socket) => socket.end(errorResponse('57P03', 'starting up'))))],
    ['store-full', async () => at(await speaking((socket) => socket.end(errorResponse('53100', 'no space'))))],
    ['store-busy', async () => at(await speaking((socket) => socket.end(errorResponse('53200', 'out of memory'))))],
    ['wants-tls', async () => at(await speaking((socket) => socket.end(errorResponse('28000', 'no encryption'))))],
  ])('%s', async (name, url) => isReported(await thrownBy(openStore(await url())), 'store', name));

  const admin = process.env.PAYOUTS_TEST_POSTGRES_URL;
  describe.runIf(admin !== undefined)('itself', () => {
    const role = `payouts_causes_${process.pid}`;
    const as = (user: string, password: string, more: { database?: string; options?: string } = {}): string => {
      const url = new URL(admin ?? '');
      [url.username, url.password] = [user, password];
      if (more.database !== undefined) url.pathname = more.database;
      if (more.options !== undefined) url.searchParams.set('options', more.options);
      return url.href;
    };
    const statement = async (text: string): Promise<void> => {
      const client = new PgClient({ connectionString: admin });
      await client.connect();
      await client.query(text).finally(() => client.end());
    };
    beforeAll(() => statement(`create role ${role} login password 'of-tests' connection limit 1`));
    afterAll(() => statement(`drop role ${role}`));

    it.each<[CauseName, () => string]>([
      ['store-password', () => as(role, 'hunter2')],
      ['store-password', () => as('nobody_at_all', 'hunter2')],
      ['store-no-database', () => as(role, 'of-tests', { database: 'none_of_this_name' })],
      [
        'store-read-only',
        () =>
          as(new URL(admin ?? '').username, new URL(admin ?? '').password, {
            database: 'template1',
            options: '-c default_transaction_read_only=on',
          }),
      ],
    ])('%s', async (name, url) => isReported(await thrownBy(openStore(url())), 'store', name));

    it('too-many-connections, once it has waited for one', async () => {
      const holder = new PgClient({ connectionString: as(role, 'of-tests', { database: 'postgres' }) });
      await holder.connect();
      const another = new PgClient({ connectionString: as(role, 'of-tests', { database: 'postgres' }) });
      another.on('error', () => undefined);
      isReported(await thrownBy(another.connect()), 'store', 'too-many-connections');
      // The product waits until one is free.
      const opening = thrownBy(openStore(as(role, 'of-tests', { database: 'postgres' })));
      await holder.end();
      expect(await opening).toMatchObject({ code: 'store-not-migrated' });
    });
  });
});

/** A message of PostgreSQL, https://www.postgresql.org/docs/current/protocol-message-formats.html */
function errorResponse(code: string, words: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${words}\0\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + length.length);
  return Buffer.concat([Buffer.from('E'), length, body]);
}

describe('files', () => {
  const own = (name: string) => join(folder, name);
  const madeBy = (work: () => unknown): unknown => {
    try {
      work();
    } catch (error) {
      return error;
    }
    return expect.unreachable('it works');
  };
  it.each<[CauseName, () => unknown]>([
    ['disk-full', () => writeFileSync('/dev/full', 'x')],
    ['no-file', () => readFileSync(own('missing'))],
    ['is-a-folder', () => readFileSync(folder)],
    ['path-unusable', () => symlinkSync(own('loop'), own('loop')) ?? readFileSync(own('loop'))],
    ['read-only-disk', () => writeFileSync('/proc/sys/kernel/ostype', 'x')],
  ])('%s', (name, work) => {
    const error = madeBy(work);
    // The kernel's own files refuse in more than one way.
    if (name === 'read-only-disk' && causeOf(error, 'files')?.name !== name) return;
    isReported(error, 'files', name);
    expect(problemOf(error)).toMatchObject({ kind: 'set-up', code: 'file-system' });
  });

  it.skipIf(process.getuid?.() === 0)('no-permission', () => {
    writeFileSync(own('closed'), 'x');
    chmodSync(own('closed'), 0);
    isReported(
      madeBy(() => readFileSync(own('closed'))),
      'files',
      'no-permission',
    );
  });
});

/** Of these only the shape is tried: what makes them is not at hand, or not on every machine. */
const SHAPES: readonly [CauseName, SideName, object][] = [
  ['no-ca-certificates', 'temporal', { message: 'tonic::transport::Error(Transport, NativeCertsNotFound)' }],
  ['key-unsendable', 'temporal', { message: 'Metadata string value "x" contains illegal characters' }],
  ['too-many-open-files', 'bank', { code: 'EMFILE' }],
  ['certificate-not-yet-valid', 'bank', { message: 'GET /v1: no connection (CERT_NOT_YET_VALID)' }],
  ['certificate-not-yet-valid', 'temporal', { message: 'InvalidCertificate(NotValidYet)' }],
  ['certificate-refused', 'bank', { code: 'CERT_REVOKED' }],
  ['tls-version', 'bank', { code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' }],
  ['tls-failed', 'bank', { code: 'EPROTO' }],
  ['store-pool-busy', 'store', { message: 'timeout exceeded when trying to connect' }],
  ['store-no-password', 'store', { message: 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string' }],
  ['store-no-role', 'store', { code: '28000', message: 'role "payouts" does not exist' }],
  ['store-not-let-in', 'store', { code: '28000', message: 'no pg_hba.conf entry' }],
  ['store-not-postgres', 'store', { message: 'received invalid response: 48' }],
  ['temporal-no-namespace', 'temporal', { code: 5, details: 'Namespace payouts is not found.' }],
  ['temporal-busy', 'temporal', { code: 8, details: 'namespace rate limit exceeded' }],
  ['temporal-database', 'temporal', { code: 14, details: 'no usable database connection found' }],
  ['dns-silent', 'store', { code: 'EAI_AGAIN' }],
  ['name-not-found', 'store', { code: 'ENOTFOUND' }],
  ['no-route', 'bank', { message: 'GET /v1: no connection (ENETUNREACH)' }],
  ['no-route', 'bank', { errors: [{ code: 'EHOSTUNREACH' }] }],
  ['blocked-here', 'bank', { message: 'no connection', cause: { code: 'EPERM' } }],
  ['private-address', 'receiver', { name: 'PrivateAddress' }],
  ['proxy-unreachable', 'bank', { message: 'no connection (PROXY_UNREACHABLE)' }],
  ['proxy-authentication', 'bank', { message: 'no connection (PROXY_REFUSED_407)' }],
  ['proxy-refuses', 'bank', { message: 'no connection (PROXY_REFUSED_403)' }],
  ['too-many-connections', 'store', { code: '53300' }],
  ['store-password', 'store', { code: '28P01' }],
  ['store-no-database', 'store', { code: '3D000' }],
  ['store-permission', 'store', { code: '42501' }],
  ['store-read-only', 'store', { code: '25006' }],
  ['no-permission', 'files', { code: 'EACCES' }],
  ['read-only-disk', 'files', { code: 'EROFS' }],
  ['disk-fails', 'files', { code: 'EIO' }],
];

it.each(SHAPES)('%s of the %s by its shape', (name, side, error) => isReported(error, side, name));

it('every cause of the table was made', () => {
  expect(Object.keys(CAUSES).filter((name) => !produced.has(name as CauseName))).toEqual([]);
});

it('what tells nothing is not guessed at', () => {
  for (const error of [new TypeError('x is not a function'), 'text', undefined, { code: 23505 }]) {
    expect(causeOf(error, 'store')).toBeUndefined();
  }
});
