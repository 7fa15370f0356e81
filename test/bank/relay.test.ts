import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as httpsRequest, createServer as secureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BankOptions } from '../../src/bank/client.ts';
import type { BankError } from '../../src/bank/errors.ts';
import { startReadsRelay } from '../../src/bank/relay-server.ts';
import { relayClientTls } from '../../src/bank/relay-transport.ts';
import { makeCertificate } from '../support/certificate.ts';
import { newFolder } from '../support/new-folder.ts';
import { answer, inOrder, ok, type Script, type ScriptedBank, scriptedBank } from './support/scripted-bank.ts';
import { API_KEY, API_SECRET, drivenTime, failureOf, PAYMENT, testBank } from './support/test-bank.ts';

const KEY = randomBytes(32);
const ACCOUNT = { uid: 'u-1', account_id: 'acc-usd', currency: 'USD', balance: '1.00' };
const HOST = '127.0.0.1';

interface Relayed {
  server: ScriptedBank;
  port: number;
  close(): Promise<void>;
}

/** A worker's relay before a bank that answers with `script`. */
async function relayed(script: Script, tokenScript?: Script): Promise<Relayed> {
  const server = await scriptedBank(script, tokenScript);
  const access = { baseUrl: server.baseUrl, apiKey: API_KEY, apiSecret: API_SECRET, key: KEY };
  const relay = await startReadsRelay({ host: HOST, port: 0 }, access);
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= relay.close());
  onTestFinished(async () => {
    await close();
    await server[Symbol.asyncDispose]();
  });
  return { server, port: relay.port, close };
}

/** The client of a process that has the key of the relays, and of the bank nothing. */
function reader(ports: readonly number[], { key = KEY, ...options }: Partial<BankOptions> & { key?: Buffer } = {}) {
  const hosts = ports.map((port) => `${HOST}:${port}`);
  const bank = testBank('https://bank.example.com', {
    apiKey: '',
    apiSecret: '',
    relay: { hosts, key },
    ...options,
  });
  onTestFinished(() => bank.close());
  return bank;
}

/** Status of a raw request of somebody who has the key. */
function statusOf(port: number, method: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { host: HOST, port, method, path, agent: false, ...relayClientTls(KEY) };
    const request = httpsRequest(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject).end();
  });
}

describe('a process with the key of the relays', () => {
  it("reads with the worker's token, and has none", async () => {
    const { server, port } = await relayed(ok(ACCOUNT));
    const bank = reader([port]);
    await bank.authenticate();
    expect(await bank.accounts.get('acc-usd')).toEqual(ACCOUNT);
    expect(server.tokenRequests).toHaveLength(1);
    expect(server.seen).toMatchObject([
      {
        method: 'GET',
        target: '/v1/banking/accounts/acc-usd',
        headers: { authorization: 'token-1', 'content-type': 'application/json', 'cache-control': 'no-cache' },
      },
    ]);
    expect(bank.clock.offset()).toBeTypeOf('number');
  });

  it('writes nothing: no byte leaves', async () => {
    const { server, port } = await relayed(ok({ order_id: 'o-1' }));
    const bank = reader([port]);
    const writes = [
      bank.transactions.payment(PAYMENT),
      bank.orders.approve('o-1'),
      bank.beneficiaries.delete('ben-1'),
      bank.beneficiaries.add({}),
    ];
    for (const write of writes) expect((await failureOf<BankError>(write)).outcome).toBe('not-sent');
    expect(server.seen).toEqual([]);
    expect(server.tokenRequests).toEqual([]);
  });

  it.each([
    ['POST', '/v1/banking/transactions/payment', 405],
    ['DELETE', '/v1/banking/beneficiaries/ben-1', 405],
    ['GET', '/v1/auth', 404],
    ['GET', '/v1/auth?x', 404],
    ['GET', '/v1/banking/../auth', 404],
    ['GET', '/v1/%2e%2e/v1/auth', 404],
    ['GET', '/admin', 404],
    ['GET', '//elsewhere.example/v1/banking/accounts', 404],
    ['GET', 'http://elsewhere.example/v1/banking/accounts', 404],
  ])('gets nothing from the bank by %s %s', async (method, path, status) => {
    const { server, port } = await relayed(ok(ACCOUNT));
    expect(await statusOf(port, method, path)).toBe(status);
    expect([...server.seen, ...server.tokenRequests]).toEqual([]);
  });

  it('learns what the bank refuses, in its words', async () => {
    const { port } = await relayed(answer(404, { code: 20001, msg: 'Account not found' }));
    const error = await failureOf<BankError>(reader([port], drivenTime()).accounts.get('acc-none'));
    expect(error.httpStatus).toBe(404);
  });

  it('is served again after the bank has dropped the token', async () => {
    const { server, port } = await relayed(inOrder(answer(401, ''), ok(ACCOUNT)));
    const bank = reader([port]);
    await bank.accounts.get('acc-usd').catch(() => undefined);
    expect(await bank.accounts.get('acc-usd')).toEqual(ACCOUNT);
    expect(server.tokenRequests).toHaveLength(2);
  });

  it('asks the next worker when one has gone', async () => {
    const [gone, up] = [await relayed(ok(ACCOUNT)), await relayed(ok(ACCOUNT))];
    const bank = reader([gone.port, up.port]);
    await bank.accounts.get('acc-usd');
    await gone.close();
    await bank.accounts.get('acc-usd');
    expect([gone.server.seen.length, up.server.seen.length]).toEqual([1, 1]);
  });

  it('is answered that it cannot read when no worker answers, or none has a token', async () => {
    const { port, close } = await relayed(ok(ACCOUNT), answer(503, ''));
    const bank = reader([port], drivenTime());
    expect(await failureOf(bank.authenticate())).toMatchObject({ outcome: 'not-sent' });
    await close();
    expect(await failureOf(bank.authenticate())).toMatchObject({
      message: expect.stringContaining('no worker lets this process read'),
    });
  });
});

describe('who has another key or none', () => {
  it('does not get in', async () => {
    const { server, port } = await relayed(ok(ACCOUNT));
    expect(
      await failureOf(reader([port], { key: randomBytes(32), limits: { readTotalMs: 400 } }).accounts.get('acc-usd')),
    ).toMatchObject({
      retryable: true,
    });
    const keyless = fetch(`https://${HOST}:${port}/v1/banking/accounts/acc-usd`).catch(() => 'refused');
    expect(await keyless).toBe('refused');
    const clear = fetch(`http://${HOST}:${port}/v1/banking/accounts/acc-usd`).catch(() => 'refused');
    expect(await clear).toBe('refused');
    expect(server.seen).toEqual([]);
  });

  it('cannot pose as a worker with a certificate', async () => {
    const folder = newFolder();
    const { cert, key } = makeCertificate(folder);
    const asked: string[] = [];
    const impostor = secureServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
      asked.push(request.url ?? '');
      response.end('{"code":0,"data":{}}');
    });
    await new Promise<void>((listening) => impostor.listen(0, HOST, listening));
    onTestFinished(() => void impostor.close());
    await failureOf(reader([(impostor.address() as AddressInfo).port], drivenTime()).accounts.get('acc-usd'));
    expect(asked).toEqual([]);
    // Nor one that an authority of this machine has signed.
    expect(relayClientTls(KEY).checkServerIdentity(HOST, { raw: Buffer.from('a certificate') })).toBeInstanceOf(Error);
  });
});
