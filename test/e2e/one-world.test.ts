import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection } from '@temporalio/client';
import { expect, inject, it, type TestContext } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { type CommandHome, openCommandHome, QUICK } from '../support/command.ts';
import { registerNamespace } from '../support/product.ts';
import { TEST_CLUSTER } from '../support/test-cluster.ts';
import { until } from '../support/until.ts';
import { batchOf, errorOf } from './documents.ts';
import { csvOf, IN_AUDIT } from './payout-files.ts';

type Finishing = Pick<TestContext, 'onTestFinished'>;

/** Of the worker that an embedded stack starts for a command, and ends with it. */
const onEmbedded = it.skipIf(TEST_CLUSTER !== undefined);

it.concurrent('of two stores on one namespace the second starts no worker and hands over no file', async (context) => {
  const bank = await startBank(context);
  const env = { ...(await ownNamespace('two-stores')), PAYOUTS_API_URL: bank.url };
  const [first, second] = [openHome(context, env), openHome(context, env)];
  const worker = first.serve('worker');
  await worker.says(/Worker on/);

  const refused = await second.payouts('worker', '--json');
  expect(refused.code).toBe(2);
  const { error } = errorOf(refused);
  expect(error.code).toBe('namespace-taken');
  expect(error.message).toMatch(/belongs to store [0-9a-f-]{36}.*not to store [0-9a-f-]{36}/);
  const file = second.file('one.csv', csvOf([{ id: 'SECOND-1' }]));
  expect(errorOf(await second.payouts('run', file, '--yes', '--json')).error.code).toBe('namespace-taken');
  expect(await ordersOf(bank)).toEqual([]);

  // The first one is gone for good, and somebody says so.
  worker.kill('SIGTERM');
  await worker.ended;
  const [, replaced = ''] = /belongs to store (\S+),/.exec(error.message) ?? [];
  const heir = openHome(context, { ...env, PAYOUTS_HOME: second.path, PAYOUTS_REPLACES_STORE: replaced });
  const successor = heir.serve('worker');
  await successor.says(/Worker on/);
  expect((await second.payouts('run', file, '--yes', '--json')).code).toBe(0);
  expect(errorOf(await first.payouts('worker', '--json')).error.code).toBe('namespace-taken');
});

onEmbedded.concurrent(
  'another customer of the same bank is refused, and once somebody accepts it held while its list lacks what was accepted',
  async (context) => {
    const tenants = await startTenants(context);
    const home = openHome(context, { PAYOUTS_API_URL: tenants.url, PAYOUTS_API_KEY: 'key-a' });
    expect((await home.payouts('run', home.file('a.csv', csvOf([{ id: 'A-1' }])), '--yes', '--json')).code).toBe(0);

    const other = openHome(context, {
      PAYOUTS_API_URL: tenants.url,
      PAYOUTS_API_KEY: 'key-b',
      PAYOUTS_HOME: home.path,
    });
    const file = other.file('b.csv', csvOf([{ id: 'B-1' }]));
    for (const command of [['run', file, '--yes'], ['dev'], ['orders', 'u-1001', 'USD']]) {
      const ended = await other.payouts(...command, '--json');
      expect(ended.code).toBe(2);
      const { error } = errorOf(ended);
      expect(error.code).toBe('wrong-store');
      expect(error.message).toContain('PAYOUTS_API_KEY');
      expect(error.message).not.toMatch(/acc-[^0-9a-f]/);
    }
    expect(await ordersOf(tenants.b)).toEqual([]);

    const accepted = await other.payouts('doctor', '--accept', 'accounts', '--by', 'alice', '--json');
    expect(accepted.code).toBe(0);
    const held = await other.payouts('run', file, '--yes', '--json');
    expect(held.code).toBe(6);
    expect(batchOf(held).payouts).toMatchObject([{ state: 'held', reason: { code: 'list-proves-nothing' } }]);
    expect(await ordersOf(tenants.b)).toEqual([]);
  },
);

it.concurrent('while payouts are open only a bank that shows an order of theirs is accepted', async (context) => {
  const tenants = await startTenants(context);
  const home = openHome(context, { PAYOUTS_API_URL: tenants.url, PAYOUTS_API_KEY: 'key-a' });
  const dev = home.serve('dev');
  await dev.says(/Ctrl-C/);
  const file = home.file('a.csv', csvOf([{ id: 'O-1', ...IN_AUDIT }]));
  expect((await home.payouts('run', file, '--yes', '--detach', '--json')).code).toBe(0);
  await until(async () => (await ordersOf(tenants.a)).length === 1);
  dev.kill('SIGTERM');
  await dev.ended;

  const accept = (env: Record<string, string>, part: string) =>
    openHome(context, { ...env, PAYOUTS_HOME: home.path }).payouts(
      'doctor',
      '--accept',
      part,
      '--by',
      'alice',
      '--json',
    );
  const other = await accept({ PAYOUTS_API_URL: tenants.url, PAYOUTS_API_KEY: 'key-b' }, 'accounts');
  expect(other.code).toBe(2);
  expect(errorOf(other).error).toMatchObject({
    code: 'payouts-open',
    message: expect.stringContaining('1 payout has not ended'),
  });
  const empty = await startBank(context, { apiKey: 'key-a' });
  const elsewhere = await accept({ PAYOUTS_API_URL: empty.url, PAYOUTS_API_KEY: 'key-a' }, 'bank');
  expect(errorOf(elsewhere).error.code).toBe('payouts-open');
  const moved = await accept({ PAYOUTS_API_URL: tenants.a.url, PAYOUTS_API_KEY: 'key-a' }, 'bank');
  expect(moved.code).toBe(0);
});

onEmbedded.concurrent(
  'a store that has worked with one embedded Temporal is refused by another one',
  async (context) => {
    const home = openHome(context, {});
    expect((await home.payouts('list')).code).toBe(0);
    expect((await home.payouts('run', home.file('a.csv', csvOf([{ id: 'T-1' }])), '--yes', '--json')).code).toBe(0);
    const other = openHome(context, { PAYOUTS_STORE_URL: `file:${home.path}/store.sqlite` });
    const ended = await other.payouts('run', other.file('b.csv', csvOf([{ id: 'T-2' }])), '--yes', '--json');
    expect(ended.code).toBe(2);
    expect(errorOf(ended).error).toMatchObject({
      code: 'wrong-store',
      message: expect.stringContaining('Temporal cluster'),
    });
  },
);

function openHome(context: Finishing, env: Record<string, string>): CommandHome {
  const home = openCommandHome({ ...QUICK, ...env });
  context.onTestFinished(() => home.close());
  return home;
}

async function ownNamespace(name: string): Promise<Record<string, string>> {
  const address = inject('temporalAddress');
  const namespace = `${name}-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address });
  await registerNamespace(connection, namespace);
  await connection.close();
  return { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, PAYOUTS_ONE_MACHINE: 'true' };
}

async function startBank(context: Finishing, options: { apiKey?: string } = {}): Promise<RunningSandbox> {
  const bank = await startSandbox({ file: ':memory:', ...options });
  context.onTestFinished(() => bank.close());
  return bank;
}

const ordersOf = async ({ url }: RunningSandbox): Promise<unknown[]> =>
  ((await (await fetch(`${url}/__sandbox/state`)).json()) as { orders: unknown[] }).orders;

/** One address, two customers: who asks is known by the key, then by the token. The second has master accounts of its own. */
async function startTenants(context: Finishing): Promise<{ url: string; a: RunningSandbox; b: RunningSandbox }> {
  const [a, b] = [await startBank(context, { apiKey: 'key-a' }), await startBank(context, { apiKey: 'key-b' })];
  const ofB = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const { authorization = '' } = request.headers;
    const isB = body.includes('key-b') || ofB.has(authorization);
    const answer = await fetch((isB ? b : a).url + (request.url ?? ''), {
      method: request.method,
      headers: { 'content-type': 'application/json', authorization },
      body: request.method === 'GET' ? undefined : body,
    });
    const text = await answer.text();
    if (isB && request.url === '/v1/auth') ofB.add(/"access_token":"([^"]+)"/.exec(text)?.[1] ?? '');
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(isB ? text.replaceAll('acc-master-', 'acc-master-b-') : text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, a, b };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
