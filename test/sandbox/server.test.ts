import { statSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Database } from '../../src/sandbox/sandbox-database.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { bankCalls } from '../contract/bank-calls.ts';
import { newFolder } from '../support/new-folder.ts';
import { orderOf, PAYMENT, pay, paymentOf, runningSandbox, START } from './running-sandbox.ts';

function temporaryFile(): string {
  const folder = newFolder();
  return join(folder, 'home', 'bank.sqlite');
}

describe('a restart on the same file', () => {
  test('keeps accounts, orders and payees, and takes the steps that fell due meanwhile', async () => {
    const file = temporaryFile();
    const first = await runningSandbox({ file });
    const orderId = await pay(first.bank, { reference: 'kept' });
    const before = await first.proxy('GET', '/state');
    await first.sandbox.close();

    const second = await runningSandbox({ file });
    expect(await second.proxy('GET', '/state')).toEqual(before);
    expect((await second.bank.call('POST', PAYMENT, { body: paymentOf({ reference: 'kept' }) })).code).toBe(2003);
    await second.sandbox.close();

    const third = await runningSandbox({ file, now: () => START + 60_000 });
    expect(await orderOf(third.bank, orderId)).toMatchObject({ status: 'COMPLETED', updated_at: START + 1_500 });
  });

  test('finds files that nobody but their owner can read', () => {
    const file = temporaryFile();
    const db = new Database(file, () => {});
    const modes = [file, `${file}-wal`, `${file}-shm`, dirname(file)].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o700]);
    db.close();
  });

  test.each([1, 999])('is refused when the file is of another version: %d', async (version) => {
    const file = temporaryFile();
    const db = new Database(file, () => {});
    db.run(`PRAGMA user_version = ${version}`);
    db.close();
    await expect(startSandbox({ file })).rejects.toThrow(`version ${version} `);
  });

  test('finds nothing of a start that was cut short while seeding', () => {
    const file = temporaryFile();
    const cutShort = () => {
      throw new Error('power cut');
    };
    expect(() => new Database(file, cutShort)).toThrow('power cut');
    const db = new Database(file, () => {});
    expect(db.all('SELECT * FROM accounts')).toEqual([]);
    db.close();
  });
});

test('an unseeded sandbox is empty', async () => {
  const { proxy } = await runningSandbox({ seed: false });
  expect(await proxy('GET', '/state')).toMatchObject({ accounts: [], orders: [], conservation: { ok: true } });
});

test('a port that is taken rejects the start', async () => {
  const { sandbox } = await runningSandbox();
  await expect(startSandbox({ file: ':memory:', port: Number(new URL(sandbox.url).port) })).rejects.toThrow(
    'EADDRINUSE',
  );
});

describe('tokens', () => {
  test('work bare and after Bearer, until their life is over', async () => {
    const { sandbox, bank } = await runningSandbox({ tokenLifeSeconds: 60 });
    const status = async (authorization: string) =>
      (await bank.raw('GET', '/v1/banking/accounts', { headers: { authorization } })).status;
    expect(await status(bank.token)).toBe(200);
    expect(await status(`Bearer ${bank.token}`)).toBe(200);
    sandbox.clock.advance(59_999);
    expect(await status(bank.token)).toBe(200);
    sandbox.clock.advance(1);
    expect(await status(bank.token)).toBe(401);
  });

  test('are given for the configured key and secret alone', async () => {
    const { sandbox, bank } = await runningSandbox({ apiKey: 'our-key', apiSecret: 'our-secret' });
    expect(bank.token).not.toBe('');
    await expect(bankCalls(sandbox.url, 'our-key', 'sandbox-secret')).rejects.toThrow('HTTP 401');
  });

  test('a refused token is answered without an envelope', async () => {
    const { bank } = await runningSandbox();
    const response = await bank.raw('GET', '/v1/banking/accounts', { headers: { authorization: '' } });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: 'unauthorized' });
  });
});

describe('HTTP', () => {
  test.each(['{"uid": ', '[]', 'null', '"text"'])('the body %s is a bad request', async (body) => {
    const { bank } = await runningSandbox();
    expect(await bank.call('POST', PAYMENT, { body })).toMatchObject({ code: 2002 });
  });

  test('a request without the JSON content type is a bad request', async () => {
    const { bank } = await runningSandbox();
    const headers = { 'content-type': 'text/plain' };
    expect(await bank.call('GET', '/v1/banking/accounts', { headers })).toMatchObject({ code: 2002 });
  });

  test.each([
    ['GET', '/v1/banking/nowhere'],
    ['PATCH', '/v1/banking/accounts'],
    ['GET', '/v1/banking/accounts/%zz'],
    ['GET', '/v1/banking/users/'],
    ['GET', '/__sandbox/nowhere'],
  ])('%s %s is not found', async (method, path) => {
    const { bank } = await runningSandbox();
    expect((await bank.raw(method, path)).status).toBe(404);
  });

  test('a body above 1 MiB is refused before it is whole', async () => {
    const { sandbox, bank } = await runningSandbox();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', authorization: bank.token };
      const post = request(sandbox.url + PAYMENT, { method: 'POST', headers }, (response) =>
        resolve(response.statusCode),
      );
      post.on('error', reject);
      // Never ended: the answer comes while the request is still open.
      post.write('x'.repeat(1024 * 1024 + 1));
    });
    expect(status).toBe(413);
    expect((await bank.call('GET', '/v1/banking/accounts')).code).toBe(0);
  });
});

describe('test-only routes', () => {
  test('are refused when they are not allowed', async () => {
    const { bank } = await runningSandbox({ allowTestRoutes: false });
    expect((await bank.raw('GET', '/__sandbox/state')).status).toBe(403);
  });

  test('answer this machine and their own pages, and no page of another origin', async () => {
    const { sandbox, bank } = await runningSandbox();
    const { host } = new URL(sandbox.url);
    const byName = host.replace('127.0.0.1', 'localhost');
    const asked = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = { ...headers, 'content-type': 'text/plain' };
        const post = request(`${sandbox.url}/__sandbox/outage`, { method: 'POST', headers: sent }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        post.on('error', reject);
        post.end('{"ms":60000}');
      });
    const foreign: Record<string, string>[] = [
      { origin: 'https://page.example' },
      { origin: 'null' },
      { origin: 'http://localhost:1' },
      { origin: `http://${byName}` },
      { host: 'rebound.example' },
      { host: 'rebound.example', origin: 'http://rebound.example' },
      { host: '127.0.0.1.rebound.example' },
    ];
    for (const headers of foreign) expect([headers, await asked(headers)]).toEqual([headers, 403]);
    const state = (headers: Record<string, string>) => bank.raw('GET', '/__sandbox/state', { headers });
    expect((await state({ origin: sandbox.url })).status).toBe(200);
    expect(await asked({ host: byName, origin: `http://${byName}` })).toBe(200);
  });

  test('make, fill and freeze accounts', async () => {
    const { bank, proxy } = await runningSandbox();
    const account = { uid: 'u-9', currency: 'CAD', account_id: 'acc-9', balance: '10.00' };
    expect(await proxy('POST', '/accounts', account)).toMatchObject({ balance: '10.00', account_frozen: false });
    expect(await proxy('POST', '/accounts/acc-9/deposit', { amount: '5.00' })).toMatchObject({ balance: '15.00' });
    expect(await proxy('POST', '/accounts/acc-9/freeze')).toMatchObject({ account_frozen: true });
    expect(await proxy('POST', '/accounts/acc-9/unfreeze')).toMatchObject({ account_frozen: false });
    expect((await bank.call('GET', '/v1/banking/users/u-9')).data).toMatchObject([
      { account_id: 'acc-9', balance: '15.00' },
    ]);
    await expect(proxy('POST', '/accounts', account)).rejects.toThrow('Already Existed');
  });

  test('drive the clock, forward only', async () => {
    const { proxy } = await runningSandbox();
    expect(await proxy('POST', '/clock', { advance_ms: 1_000 })).toEqual({ now: START + 1_000 });
    await expect(proxy('POST', '/clock', { advance_ms: -1 })).rejects.toThrow('HTTP 400');
  });
});
