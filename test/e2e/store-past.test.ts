import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import type { Profile } from '../../src/sandbox/bank/profile.ts';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { type CommandHome, openCommandHome, QUICK } from '../support/command.ts';
import { TEST_CLUSTER } from '../support/test-cluster.ts';
import { until } from '../support/until.ts';
import { batchOf, errorOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

type Finishing = Pick<TestContext, 'onTestFinished'>;

/** A copy of a home copies Temporal too, and a cluster is in none. */
const onEmbedded = it.skipIf(TEST_CLUSTER !== undefined);

async function startBank(context: Finishing, profile: Partial<Profile> = {}): Promise<RunningSandbox> {
  const bank = await startSandbox({ file: ':memory:', profile });
  context.onTestFinished(() => bank.close());
  return bank;
}

function openHome(context: Finishing, env: Record<string, string>): CommandHome {
  const home = openCommandHome({ ...QUICK, ...env });
  context.onTestFinished(() => home.close());
  return home;
}

/** References of the payments that the bank has, each as often as it was paid. */
async function paidAt({ url }: RunningSandbox, home: CommandHome): Promise<string[]> {
  const listed = await home.payouts('orders', 'u-1001', 'USD', '--json');
  expect(listed.code, url).toBe(0);
  const { orders } = JSON.parse(listed.stdout) as { orders: { client_order_id: string; type: string }[] };
  return orders.filter(({ type }) => type === 'PAYMENT').map((order) => order.client_order_id);
}

/** One approval from 100 USD on. */
const APPROVALS = JSON.stringify({ rules: [{ currency: 'USD', amountAtLeast: '100', approvals: 1 }] });

onEmbedded.concurrent(
  'a home that was put back in time with Temporal pays nothing again, though nobody says that it was restored',
  async (context) => {
    const bank = await startBank(context, { dedupe: 'none' });
    const home = openHome(context, {
      PAYOUTS_API_URL: bank.url,
      PAYOUTS_REFERENCE_DEDUPE: 'none',
      PAYOUTS_APPROVAL_POLICY: APPROVALS,
    });
    const run = (name: string, rows: readonly { id: string; amount?: string }[], ...options: string[]) =>
      home.payouts('run', home.file(name, csvOf(rows)), '--yes', '--by', 'olga', '--json', ...options);
    const whileUp = async (work: () => Promise<void>): Promise<string> => {
      const dev = home.start('dev');
      await dev.says(/Up until Ctrl-C/);
      await work();
      dev.kill('SIGTERM');
      return (await dev.ended).stderr;
    };
    const isWaiting = (state: string) => async () => {
      const { payouts } = batchOf(await home.payouts('status', waiting.batchId, '--json'));
      return payouts[0]?.state === state;
    };
    const approve = async () => {
      expect((await home.payouts('approve', 'WAITS', '--yes', '--by', 'alice')).code).toBe(0);
      await until(isWaiting('completed'));
    };
    let waiting = { batchId: '' };
    await whileUp(async () => {
      waiting = batchOf(await run('waits.csv', [{ id: 'WAITS', amount: '100.00' }], '--detach'));
      await until(isWaiting('awaiting-approval'));
    });
    cpSync(home.path, `${home.path}.snapshot`, { recursive: true });
    await whileUp(async () => {
      await approve();
      expect((await run('later.csv', [{ id: 'P-1' }, { id: 'P-2' }])).code).toBe(0);
    });
    const paid = await paidAt(bank, home);
    expect(paid).toHaveLength(3);

    rmSync(home.path, { recursive: true });
    cpSync(`${home.path}.snapshot`, home.path, { recursive: true });
    const log = await whileUp(async () => {
      expect(await isWaiting('awaiting-approval')()).toBe(true);
      await approve();
      // The store has learned of these orders from the list that it was shown before it sent.
      const again = errorOf(await run('later.csv', [{ id: 'P-1' }, { id: 'P-2' }]));
      expect(again.findings.map(({ rule }) => rule)).toEqual(['at-bank', 'at-bank']);
      const { checks } = JSON.parse((await home.payouts('doctor', '--json')).stdout);
      const detail = expect.stringContaining('because it had gone back in time');
      expect(checks).toContainEqual({ name: 'store used', verdict: 'warning', detail });
    });
    expect(log).toContain('rolled-back');
    expect((await paidAt(bank, home)).toSorted()).toEqual(paid.toSorted());
    expect((await home.payouts('audit', 'show', 'store')).stdout).toContain('rolled-back');
  },
);

onEmbedded.concurrent('a copy of a stopped home beside the original sends nothing', async (context) => {
  const bank = await startBank(context);
  const home = openHome(context, { PAYOUTS_API_URL: bank.url });
  const file = home.file('first.csv', csvOf([{ id: 'C-1' }]));
  expect((await home.payouts('run', file, '--yes', '--json')).code).toBe(0);
  const path = `${home.path}.copy`;
  cpSync(home.path, path, { recursive: true });

  const copy = openHome(context, { PAYOUTS_API_URL: bank.url, PAYOUTS_HOME: path });
  const more = copy.file('more.csv', csvOf([{ id: 'C-2' }]));
  for (const command of [['run', more, '--yes'], ['dev']]) {
    const refused = await copy.payouts(...command, '--json');
    expect(refused.code).toBe(2);
    expect(errorOf(refused).error).toMatchObject({
      code: 'stack-copied',
      message: expect.stringContaining(home.path),
      hint: expect.stringContaining(`PAYOUTS_HOME=${home.path}`),
    });
  }
  expect(await paidAt(bank, home)).toHaveLength(1);
  expect((await home.payouts('run', more, '--yes', '--json')).code).toBe(0);
});

it.concurrent('the same file from another folder meets the same store', async (context) => {
  const bank = await startBank(context);
  const one = openHome(context, { PAYOUTS_API_URL: bank.url, PAYOUTS_HOME: '' });
  const user = join(one.path, '..');
  const other = openHome(context, { PAYOUTS_API_URL: bank.url, PAYOUTS_HOME: '', HOME: user });
  const rows = csvOf([{ id: 'F-1' }]);
  const paid = await one.start('run', one.file('pay.csv', rows), '--yes', '--json').ended;
  expect(paid.code).toBe(0);
  expect(paid.stderr).toMatch(/store: ~\/\.local\/share\/durable-payouts\/\S+ \(http:\S+\), NEW/);
  const again = await other.start('run', other.file('pay.csv', rows), '--yes', '--json').ended;
  expect(again.code).toBe(8);
  expect(await paidAt(bank, other)).toHaveLength(1);
});
