import { Connection, WorkflowClient } from '@temporalio/client';
import { expect, inject, it } from 'vitest';
import { orderWatchWorkflowId } from '../../src/domain/names.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { openCommandHome, QUICK } from '../support/command.ts';
import { startDevServer } from '../support/dev-server.ts';
import { registerNamespace } from '../support/product.ts';
import { until } from '../support/until.ts';
import { batchOf } from './documents.ts';
import { csvOf, IN_AUDIT } from './payout-files.ts';

it('a payout ends under the build that it began under, and new ones begin under the current one, forward and back', async ({
  onTestFinished,
}) => {
  // A server of its own: the one of the other tests has no workers for the namespace's deployments.
  const server = await startDevServer(inject('temporalCli'));
  onTestFinished(() => server.stop());
  const { address } = server;
  const namespace = `two-builds-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address });
  onTestFinished(() => connection.close());
  await registerNamespace(connection, namespace);
  const client = new WorkflowClient({ connection, namespace });
  const bank = await startSandbox({ file: ':memory:' });
  onTestFinished(() => bank.close());
  const env = {
    ...QUICK,
    ...{ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, PAYOUTS_ONE_MACHINE: 'true' },
    PAYOUTS_API_URL: bank.url,
    PAYOUTS_DEPLOYMENT: 'payouts',
    PAYOUTS_BUILD_ID: 'one',
  };
  const first = openCommandHome(env);
  onTestFinished(() => first.close());
  const second = openCommandHome({ ...env, PAYOUTS_HOME: first.path, PAYOUTS_BUILD_ID: 'two' });
  onTestFinished(() => second.close());

  /** A build can be made current once a worker of it has asked for a task. */
  const makeCurrent = (buildId: string): Promise<void> =>
    until(() =>
      connection.workflowService
        .setWorkerDeploymentCurrentVersion({ namespace, deploymentName: 'payouts', buildId, identity: 'alice' })
        .then(
          () => true,
          () => false,
        ),
    );
  const buildOf = async (workflowId: string): Promise<string | null | undefined> => {
    const { raw } = await client.getHandle(workflowId).describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
  };
  const handOver = async (id: string, amount: string): Promise<string> => {
    const file = first.file(`${id}.csv`, csvOf([{ id, amount, ...IN_AUDIT }]));
    const ended = await first.payouts('run', file, '--yes', '--detach', '--json');
    const [{ workflowId } = { workflowId: '' }] = batchOf(ended).payouts;
    await until(async () => (await first.payouts('status', id)).stdout.includes('awaiting-bank-approval'));
    return workflowId;
  };
  const paid = async (id: string, workflowId: string): Promise<string> => {
    expect((await first.payouts('approve', id, '--yes', '--by', 'alice')).code).toBe(0);
    const { state } = (await client.getHandle(workflowId).result()) as { state: string };
    return state;
  };

  const one = first.serve('worker');
  await one.says(/Worker on/);
  await makeCurrent('one');
  const old = await handOver('OLD-1', '3.10');
  expect(await buildOf(old)).toBe('one');

  const two = second.serve('worker');
  await two.says(/Worker on/);
  await makeCurrent('two');
  const fresh = await handOver('NEW-1', '4.10');
  expect(await buildOf(fresh)).toBe('two');
  // What never ends goes over with its next task.
  await client.getHandle('reconciliation').signal('reconcileNow');
  await until(async () => (await buildOf('reconciliation')) === 'two');
  expect(await buildOf(old)).toBe('one');

  await makeCurrent('one');
  const back = await handOver('BACK-1', '5.10');
  expect(await buildOf(back)).toBe('one');
  // None begins at the worker that releases it, whose build may no longer be the current one.
  for (const workflowId of [old, fresh, back]) {
    const { events } = await client.getHandle(workflowId).fetchHistory();
    expect(events?.[0]?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted).toBe(false);
  }
  expect([await paid('OLD-1', old), await paid('NEW-1', fresh), await paid('BACK-1', back)]).toEqual([
    'completed',
    'completed',
    'completed',
  ]);
  expect([await buildOf(old), await buildOf(fresh), await buildOf(back)]).toEqual(['one', 'two', 'one']);

  // A watch that has ended is woken by the next payout, whichever build that begins under.
  const watch = client.getHandle(orderWatchWorkflowId('u-1001', 'USD'));
  const ended = async (before?: string): Promise<boolean> => {
    const { status, runId } = await watch.describe();
    return status.name === 'COMPLETED' && runId !== before;
  };
  await until(() => ended());
  const { runId } = await watch.describe();
  const last = await first.payouts('run', first.file('last.csv', csvOf([{ id: 'LAST-1' }])), '--yes', '--json');
  expect(batchOf(last).counts).toMatchObject({ completed: 1 });
  await until(() => ended(runId));
  const orders = (await (await fetch(`${bank.url}/__sandbox/state`)).json()) as { orders: unknown[] };
  expect(orders.orders).toHaveLength(4);
});
