import { expect, inject, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { openCommandHome, QUICK } from '../support/command.ts';
import { until } from '../support/until.ts';
import { batchOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

it('on a cluster commands start no worker: a killed worker is replaced by another, and every row is paid once', async () => {
  const bank = await startSandbox({ file: ':memory:', settle: { SUBMITTED: 2_500 } });
  const home = openCommandHome({
    ...QUICK,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    PAYOUTS_ONE_MACHINE: 'true',
    PAYOUTS_API_URL: bank.url,
  });
  onTestFinished(async () => {
    await home.close();
    await bank.close();
  });
  const rows = Array.from({ length: 12 }, (_, n) => ({ id: `CLUSTER-${n}` }));
  const file = home.file('cluster.csv', csvOf(rows));

  const detached = await home.payouts('run', file, '--yes', '--detach', '--json');
  expect(detached.code).toBe(0);
  const { batchId, counts } = batchOf(detached);
  expect(counts).toMatchObject({ total: 12, completed: 0 });

  const doomed = home.start('worker');
  const orders = async (): Promise<{ client_order_id: string; status: string }[]> =>
    ((await (await fetch(`${bank.url}/__sandbox/state`)).json()) as { orders: never[] }).orders;
  await until(async () => (await orders()).length >= 3);
  doomed.kill('SIGKILL');
  await doomed.ended;

  home.start('worker');
  const watched = await home.payouts('watch', batchId, '--json');
  const { payouts, incidents } = batchOf(watched);
  const unpaid = payouts.filter(({ state }) => state !== 'completed');
  expect({ code: watched.code, unpaid, incidents }).toEqual({ code: 0, unpaid: [], incidents: [] });
  const references = (await orders()).map((order) => order.client_order_id);
  expect(references.sort()).toEqual(payouts.map(({ reference }) => reference).sort());
});
