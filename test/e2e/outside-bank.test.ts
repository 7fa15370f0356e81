import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { type CommandHome, openCommandHome, QUICK } from '../support/command.ts';
import { batchOf, errorOf, listOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

type Finishing = Pick<TestContext, 'onTestFinished'>;

/** Nobody listens on it, and no process is given it: ports that are free now may be somebody's in a moment. */
const CLOSED_PORT = 9;

const GOOD = csvOf([{ id: 'GOOD-1' }]);

it.concurrent('a bank elsewhere is paid at, and its own list agrees with the report', async (context) => {
  const bank = await startBank(context, { apiKey: 'their-key', apiSecret: 'their-secret' });
  const home = openHome(context, {
    PAYOUTS_API_URL: bank.url,
    PAYOUTS_API_KEY: 'their-key',
    PAYOUTS_API_SECRET: 'their-secret',
  });
  const ended = await home.payouts('run', home.file('good.csv', GOOD), '--yes', '--json');
  expect(ended.code).toBe(0);
  const [payout] = batchOf(ended).payouts;
  expect(existsSync(join(home.path, 'sandbox.sqlite'))).toBe(false);

  const listed = await home.payouts('orders', 'u-1001', 'USD', '--json');
  expect(JSON.parse(listed.stdout).orders).toMatchObject([
    { order_id: payout?.orderId, client_order_id: payout?.reference, status: 'COMPLETED' },
  ]);
  expect(bank.checkConservation().ok).toBe(true);
});

it.concurrent('a refused key ends 4 and nothing is claimed', async (context) => {
  const bank = await startBank(context, { apiKey: 'their-key', apiSecret: 'their-secret' });
  const home = openHome(context, {
    PAYOUTS_API_URL: bank.url,
    PAYOUTS_API_KEY: 'their-key',
    PAYOUTS_API_SECRET: 'wrong-secret',
  });
  const ended = await home.payouts('run', home.file('good.csv', GOOD), '--yes', '--json');
  expect(ended.code).toBe(4);
  expect(errorOf(ended).error.code).toBe('authentication-refused');
  expect(ended.stdout + ended.stderr).not.toContain('wrong-secret');
  expect(listOf(await home.payouts('list', '--json')).batches).toEqual([]);
});

it.concurrent('a bank that does not answer ends 7 and nothing is claimed', async (context) => {
  const home = openHome(context, { PAYOUTS_API_URL: `http://127.0.0.1:${CLOSED_PORT}` });
  const ended = await home.payouts('run', home.file('good.csv', GOOD), '--yes', '--json');
  expect(ended.code).toBe(7);
  expect(errorOf(ended).error).toMatchObject({
    code: 'bank-unreachable',
    hint: expect.stringContaining('PAYOUTS_API_URL'),
  });
  expect(listOf(await home.payouts('list', '--json')).batches).toEqual([]);
});

it.concurrent('a Temporal cluster that does not answer ends 7 and nothing is claimed', async (context) => {
  const home = openHome(context, { TEMPORAL_ADDRESS: `127.0.0.1:${CLOSED_PORT}`, PAYOUTS_ONE_MACHINE: 'true' });
  const ended = await home.payouts('run', home.file('good.csv', GOOD), '--yes', '--json');
  expect(ended.code).toBe(7);
  expect(errorOf(ended).error.code).toBe('temporal-unreachable');
  expect(listOf(await home.payouts('list', '--json')).batches).toEqual([]);
});

it.concurrent('a store that was used with one bank refuses another before anything is booted', async (context) => {
  const bank = await startBank(context);
  const home = openHome(context, { PAYOUTS_API_URL: bank.url });
  expect((await home.payouts('run', home.file('good.csv', GOOD), '--yes')).code).toBe(0);
  const other = await startBank(context);
  const elsewhere = openHome(context, { PAYOUTS_API_URL: other.url, PAYOUTS_HOME: home.path });
  const ended = await elsewhere.payouts('run', elsewhere.file('good.csv', GOOD), '--yes', '--json');
  expect(ended.code).toBe(2);
  expect(errorOf(ended).error.code).toBe('wrong-store');
});

it.each([
  ['the default key for a bank on another machine', { PAYOUTS_API_URL: 'https://bank.invalid' }, 'PAYOUTS_API_KEY'],
  ['a scale of time that is none', { PAYOUTS_TIME_SCALE: 'fast' }, 'PAYOUTS_TIME_SCALE'],
])('a setting that cannot be used ends 2 and is named: %s', async (_what, env, key) => {
  const home = openHome({ onTestFinished }, env);
  const ended = await home.payouts('list', '--json');
  expect(ended.code).toBe(2);
  expect(errorOf(ended).error).toMatchObject({ code: 'configuration', message: expect.stringContaining(key) });
});

it.concurrent('the demo pays at no bank but the sandbox', async (context) => {
  const home = openHome(context, { PAYOUTS_API_URL: `http://127.0.0.1:${CLOSED_PORT}` });
  const ended = await home.payouts('demo', '--json');
  expect(ended.code).toBe(2);
  expect(errorOf(ended).error.code).toBe('demo-needs-the-sandbox');
});

function openHome(context: Finishing, env: Record<string, string>): CommandHome {
  const home = openCommandHome({ ...QUICK, ...env });
  context.onTestFinished(() => home.close());
  return home;
}

async function startBank(
  context: Finishing,
  options: { apiKey?: string; apiSecret?: string } = {},
): Promise<RunningSandbox> {
  const bank = await startSandbox({ file: ':memory:', ...options });
  context.onTestFinished(() => bank.close());
  return bank;
}
