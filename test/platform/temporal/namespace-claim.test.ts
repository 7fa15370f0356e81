import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RECONCILIATION_ID, TASK_QUEUE, WORKFLOW_TYPES } from '../../../src/domain/names.ts';
import { temporalCli } from '../../../src/platform/embedded/cli-path.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/platform/embedded/server.ts';
import {
  assertNamespaceFits,
  keepNamespace,
  NamespaceTakenError,
  takeNamespace,
  temporalIdentity,
} from '../../../src/platform/temporal/namespace.ts';
import { codecKeys } from '../../support/codec-keys.ts';
import { ownPort } from '../../support/own-port.ts';
import { registerNamespace } from '../../support/product.ts';
import { until } from '../../support/until.ts';

let home: string;
let server: EmbeddedServer;
let connection: Connection;
let namespaces = 0;

async function boot(): Promise<void> {
  const [temporal, ui] = [await ownPort(), await ownPort()];
  const cliPath = temporalCli(process.env).path;
  const [dbFile, logFile] = [join(home, 'temporal.sqlite'), join(home, 'temporal.log')];
  const files = { dbFile, logFile, uiFolder: join(home, 'ui') };
  server = await startEmbeddedServer({ cliPath, ...files, port: temporal, uiPort: ui, codecKeys: codecKeys() });
  connection = await Connection.connect({ address: server.address });
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'payouts-claim-'));
  await boot();
});

afterAll(async () => {
  await connection.close();
  await server.stop();
  rmSync(home, { recursive: true });
});

/** A client in a namespace of its own. */
async function newNamespace(): Promise<Client> {
  namespaces += 1;
  const namespace = `claim-${namespaces}`;
  await registerNamespace(connection, namespace);
  return new Client({ connection, namespace });
}

const reconciliationOf = async (client: Client) => {
  const { memo, runId, status } = await client.workflow.getHandle(RECONCILIATION_ID).describe();
  return { store: memo?.store, runId, status: status.name };
};

const endReconciliation = (client: Client) => client.workflow.getHandle(RECONCILIATION_ID).terminate('by a test');

async function startOpenPayout(client: Client): Promise<void> {
  await client.workflow.start(WORKFLOW_TYPES.payout, { workflowId: 'payout/open', taskQueue: TASK_QUEUE });
  const open = () => client.workflow.count("ExecutionStatus = 'Running' AND WorkflowType = 'payout'");
  await until(async () => (await open()).count === 1);
}

it('the first store has the namespace, and has it again', async () => {
  const client = await newNamespace();
  expect(await takeNamespace(client, 'store-a')).toBeUndefined();
  const { store, runId } = await reconciliationOf(client);
  expect(store).toBe('store-a');
  expect(await takeNamespace(client, 'store-a')).toBeUndefined();
  await keepNamespace(client, 'store-a');
  await assertNamespaceFits(client, 'store-a');
  expect(await reconciliationOf(client)).toEqual({ store: 'store-a', runId, status: 'RUNNING' });
});

it('another store is refused with both names and the ways out, and changes nothing', async () => {
  const client = await newNamespace();
  await takeNamespace(client, 'store-a');
  for (const attempt of [takeNamespace, keepNamespace, assertNamespaceFits]) {
    const refused = await attempt(client, 'store-b').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NamespaceTakenError);
    for (const word of [
      'store-a',
      'store-b',
      'PAYOUTS_STORE_URL',
      'TEMPORAL_NAMESPACE',
      'PAYOUTS_REPLACES_STORE=store-a',
    ])
      expect(`${refused} ${(refused as NamespaceTakenError).hint}`).toContain(word);
  }
  await expect(takeNamespace(client, 'store-b', 'store-c')).rejects.toThrow(NamespaceTakenError);
  expect(await reconciliationOf(client)).toMatchObject({ store: 'store-a', status: 'RUNNING' });
});

it('of stores that come at once exactly one has it', async () => {
  const client = await newNamespace();
  const stores = ['store-a', 'store-b', 'store-c'];
  const taken = await Promise.allSettled(stores.map((store) => takeNamespace(client, store)));
  const winners = stores.filter((_store, n) => taken[n]?.status === 'fulfilled');
  expect(winners).toEqual([(await reconciliationOf(client)).store]);
});

it('a namespace in which nothing is open goes over to the next store', async () => {
  const client = await newNamespace();
  await takeNamespace(client, 'store-a');
  await endReconciliation(client);
  await assertNamespaceFits(client, 'store-b');
  expect(await takeNamespace(client, 'store-b')).toBe('store-a');
  expect(await reconciliationOf(client)).toMatchObject({ store: 'store-b', status: 'RUNNING' });
});

it('payouts that are open keep it for their store, whose worker mends what was ended', async () => {
  const client = await newNamespace();
  await takeNamespace(client, 'store-a');
  await startOpenPayout(client);
  await endReconciliation(client);
  await expect(takeNamespace(client, 'store-b')).rejects.toThrow(/1 workflows are open/);
  await keepNamespace(client, 'store-a');
  expect(await reconciliationOf(client)).toMatchObject({ store: 'store-a', status: 'RUNNING' });
});

it('a store that is said to replace the other takes it, and the other one is notified', async () => {
  const client = await newNamespace();
  await takeNamespace(client, 'store-a');
  await startOpenPayout(client);
  const both = [takeNamespace(client, 'store-b', 'store-a'), takeNamespace(client, 'store-b', 'store-a')];
  await Promise.all(both);
  expect(await reconciliationOf(client)).toMatchObject({ store: 'store-b', status: 'RUNNING' });
  await expect(keepNamespace(client, 'store-a')).rejects.toThrow(NamespaceTakenError);
});

it('a reconciliation that somebody started by hand claims nothing', async () => {
  const client = await newNamespace();
  const { reconciliation } = WORKFLOW_TYPES;
  await client.workflow.start(reconciliation, { workflowId: RECONCILIATION_ID, taskQueue: TASK_QUEUE });
  await assertNamespaceFits(client, 'store-a');
  await takeNamespace(client, 'store-a');
  expect(await reconciliationOf(client)).toMatchObject({ store: 'store-a', status: 'RUNNING' });
});

it('the cluster has an id that outlives the server, and the namespace its own', async () => {
  const before = await temporalIdentity(new Client({ connection }));
  expect(before.cluster).toMatch(/^[0-9a-f-]{36}$/);
  expect(before.namespace).toBe('default');
  await connection.close();
  await server.stop();
  await boot();
  expect(await temporalIdentity(new Client({ connection }))).toEqual(before);
});
