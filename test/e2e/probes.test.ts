import { once } from 'node:events';
import { request } from 'node:http';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, it, type TestContext } from 'vitest';
import { TASK_QUEUE } from '../../src/domain/names.ts';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { openStore } from '../../src/store/open.ts';
import { openCommandHome, QUICK } from '../support/command.ts';
import { ownPort } from '../support/own-port.ts';
import { registerNamespace } from '../support/product.ts';
import { until } from '../support/until.ts';
import { batchOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

/** Processes of a cluster of their own, each with a port that it is probed at. */
async function cluster({ onTestFinished }: TestContext) {
  const address = inject('temporalAddress');
  const namespace = `probes-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address });
  onTestFinished(() => connection.close());
  await registerNamespace(connection, namespace);
  const client = new Client({ connection, namespace });
  const bank = await startSandbox({ file: ':memory:' });
  onTestFinished(() => bank.close());
  const port = await ownPort();
  const temporalPort = await ownPort();
  const home = openCommandHome({
    ...QUICK,
    ...{ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, PAYOUTS_ONE_MACHINE: 'true' },
    PAYOUTS_API_URL: bank.url,
    PAYOUTS_METRICS_ADDRESS: `${port}`,
    PAYOUTS_GATEWAY_METRICS_ADDRESS: `127.0.0.1:${port}`,
    PAYOUTS_TEMPORAL_METRICS_ADDRESS: `${temporalPort}`,
  });
  onTestFinished(() => home.close());
  return {
    home,
    bank,
    client,
    probes: `http://127.0.0.1:${port}`,
    temporal: `http://127.0.0.1:${temporalPort}/metrics`,
  };
}

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();
const statusOf = (url: string): Promise<number | undefined> =>
  fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );

const ordersAt = async ({ url }: RunningSandbox): Promise<number> =>
  ((await (await fetch(`${url}/__sandbox/state`)).json()) as { orders: unknown[] }).orders.length;

it.concurrent('a worker reports its health, and asked to end it lets a send under way come to its record', async (context) => {
  const { home, bank, client, probes, temporal } = await cluster(context);
  const worker = home.start('worker');
  await worker.says(/Worker on/);
  expect(await statusOf(`${probes}/healthz`)).toBe(200);
  const ready = await (await fetch(`${probes}/readyz`)).json();
  expect(ready).toMatchObject({ ready: true, parts: { temporal: 'up', store: 'up', bank: 'up' }, warnings: [] });

  const paid = await home.payouts('run', home.file('a.csv', csvOf([{ id: 'PAID-1' }])), '--yes', '--json');
  expect(batchOf(paid).counts).toMatchObject({ completed: 1 });
  expect((await home.payouts('reconcile')).code).toBe(0);
  const shown = await textOf(`${probes}/metrics`);
  expect(shown).toMatch(/payouts_reconciled_total [1-9]/);
  expect(shown).toContain('payouts_ended_total{state="completed"} 1');
  expect(shown).toContain('payouts_attempts_total{outcome="accepted"} 1');
  expect(shown).toMatch(/payouts_bank_call_seconds_count\{operation="POST [^"]*payment",result="ok"\} 1/);
  expect(shown).not.toMatch(/u-1001|acc-[^0-9a-f]|PAID-1/);
  await client.workflow.start('no worker has this type', { workflowId: 'unknown', taskQueue: TASK_QUEUE });
  await until(async () =>
    /temporal_workflow_task_execution_failed_total\{failure_reason="\w/.test(await textOf(temporal)),
  );
  const core = await textOf(temporal);
  for (const name of [
    'temporal_worker_task_slots_available',
    'temporal_workflow_task_schedule_to_start_latency_seconds_bucket',
    'temporal_workflow_completed_total',
  ]) {
    expect(core).toContain(name);
  }

  const fault = { operation: 'transactions.payment', kind: 'delay-after', ms: 10_000, times: 1 };
  await fetch(`${bank.url}/__sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  });
  const before = await ordersAt(bank);
  const file = home.file('b.csv', csvOf([{ id: 'SLOW-1', amount: '3.10' }]));
  const { batchId } = batchOf(await home.payouts('run', file, '--yes', '--detach', '--json'));
  await until(async () => (await ordersAt(bank)) > before);
  worker.kill('SIGTERM');
  // While the answer is on its way: not ready any more, and alive.
  await until(async () => (await statusOf(`${probes}/readyz`)) === 503);
  expect(await statusOf(`${probes}/healthz`)).toBe(200);
  expect((await worker.ended).code).toBe(0);
  const store = await openStore(home.storeUrl);
  const [row] = await store.findPayouts(batchId, 1);
  expect(await store.attempts(row?.reference ?? '')).toMatchObject([{ outcome: 'accepted' }]);
  await store.close();
});

it.concurrent('a gateway that is asked to end takes nothing new and finishes what it has in hand', async (context) => {
  const { home, probes } = await cluster(context);
  const gateway = home.serve('gateway', '--json');
  await gateway.says(/gatewayUrl/);
  const { gatewayUrl } = JSON.parse(gateway.printed()) as { gatewayUrl: string };
  expect(await statusOf(`${gatewayUrl}/readyz`)).toBe(200);
  expect(await statusOf(`${probes}/readyz`)).toBe(200);

  const file = csvOf([{ id: 'HALF-1' }]);
  // A server that has the request in hand says that it may go on.
  const headers = { 'content-type': 'text/csv', expect: '100-continue' };
  const begun = request(`${gatewayUrl}/v1/batches`, { method: 'POST', headers });
  const [answered, inHand] = [once(begun, 'response'), once(begun, 'continue')];
  begun.flushHeaders();
  await inHand;
  begun.write(file.slice(0, 20));
  gateway.kill('SIGTERM');
  await until(async () => (await statusOf(`${gatewayUrl}/healthz`)) === undefined);
  expect(await statusOf(`${probes}/readyz`)).toBe(503);
  begun.end(file.slice(20));
  const [response] = await answered;
  expect(response.statusCode).toBe(202);
  response.resume();
  expect((await gateway.ended).code).toBe(0);
});
