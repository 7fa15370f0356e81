import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { makeCertificate } from '../support/certificate.ts';
import { newFolder } from '../support/new-folder.ts';

/**
 * A message of PostgreSQL: its type, its length and what it says.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + length.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}
const errorResponse = (code: string): Buffer =>
  message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mno entry for user "payouts"\0\0`));
/** The messages of SCRAM up to where the client needs a password. */
const SCRAM_WANTED = message('R', Buffer.from('\0\0\0\x0aSCRAM-SHA-256\0\0'));
const SCRAM_GOES_ON = message('R', Buffer.from('\0\0\0\x0br=nonce,s=c2FsdA==,i=4096'));

/** A PostgreSQL that does this with what comes first over a connection; its address without a password. */
async function serverThat(answers: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answers(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}/payouts`;
}

async function refusalOf(url: string): Promise<unknown> {
  return openStore(url).then(
    () => expect.unreachable('the store has opened'),
    (error: unknown) => error,
  );
}

it.each([
  ['28P01', 'it does not accept the user or the password', '# is %23'],
  ['28000', 'it does not let this user in from here', 'pg_hba.conf'],
  ['3D000', 'it has no such database', 'createdb'],
  ['42501', 'it lacks a permission for this user', 'payouts migrate'],
])('a PostgreSQL that answers %s %s, and nothing of its address is reported', async (code, why, hint) => {
  const place = await serverThat((socket) => socket.end(errorResponse(code)));
  const error = await refusalOf(`postgres://payouts:hunter2@${place}`);
  expect(error).toMatchObject({
    kind: 'set-up',
    code: 'store-refused',
    message: `The store's PostgreSQL cannot be used: ${why} (${code}).`,
    hint: expect.stringContaining(hint),
  });
  expect(JSON.stringify(error)).not.toContain('hunter2');
});

it('one that wants a password where there is none says so', async () => {
  const place = await serverThat((socket) => {
    socket.once('data', () => socket.write(SCRAM_GOES_ON));
    socket.write(SCRAM_WANTED);
  });
  expect(await refusalOf(`postgres://payouts@${place}`)).toMatchObject({
    code: 'store-refused',
    message: "The store's PostgreSQL cannot be used: it wants a password, and there is none.",
  });
});

it('one without TLS says so', async () => {
  const place = await serverThat((socket) => socket.write('N'));
  expect(await refusalOf(`postgres://payouts:hunter2@${place}?sslmode=verify-full`)).toMatchObject({
    code: 'store-refused',
    message: "The store's PostgreSQL cannot be used: it answers without TLS, and TLS is asked for.",
  });
});

it('one whose certificate nobody has signed that is trusted says so', async () => {
  const folder = newFolder();
  const { cert, key } = makeCertificate(folder);
  const place = await serverThat((socket) => {
    socket.write('S');
    const secured = new TLSSocket(socket, { isServer: true, cert: readFileSync(cert), key: readFileSync(key) });
    secured.on('error', () => undefined);
  });
  expect(await refusalOf(`postgres://payouts:hunter2@${place}?sslmode=verify-full`)).toMatchObject({
    code: 'store-refused',
    message:
      "The store's PostgreSQL cannot be used: its certificate comes from a CA that is not trusted here (DEPTH_ZERO_SELF_SIGNED_CERT).",
    hint: expect.stringContaining('sslrootcert=FILE'),
  });
});
