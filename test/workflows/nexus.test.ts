import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it as test } from 'vitest';
import { startNexusWorker } from '../../src/channels/nexus/nexus-worker.ts';
import type { PayInput, PayoutCallResult } from '../../src/channels/nexus/payouts-service.ts';
import type { Policy } from '../../src/domain/authority.ts';
import { NEXUS_TASK_QUEUE, payoutCallId, WORKFLOW_TYPES } from '../../src/domain/names.ts';
import { type App, appOf } from '../../src/platform/app.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import type { PayoutResult } from '../../src/workflows/payout.ts';
import { documentText, ROOT } from '../docs/markdown.ts';
import { batchClaim, claimRow } from '../store/samples.ts';
import { codecKeys } from '../support/codec-keys.ts';
import { decide, signedFor } from '../support/deciding.ts';
import { policyOf, signingPerson } from '../support/people.ts';
import {
  DEFAULT_PAYMENT,
  ordersUnder,
  type Product,
  quickSettings,
  registerNamespace,
  startProduct,
} from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { temporalConnections } from '../support/temporal-connections.ts';
import { until } from '../support/until.ts';

/** Calls through Nexus do not end on the oldest server that is supported; docs/input.md says so. */
const it = test.skipIf(process.env.PAYOUTS_TEST_OLDEST === '1');

const CALLER = `caller-${process.pid}-${Date.now()}`;
const CALLER_QUEUE = 'hr';
const ENDPOINT = `pay-${process.pid}-${Date.now()}`;
const UNKNOWN = `other-${process.pid}-${Date.now()}`;

/** `erp` may pay in US dollars, without anybody's signature. */
const alice = signingPerson('alice', ['approver']);
const POLICY = policyOf([signingPerson('erp', ['maker'], { currencies: ['USD'] }), alice], {
  approvals: [{ currency: 'USD', amountAtLeast: '100.00', approvals: 1 }],
});

let product: Product;
let caller: Client;
/** Another worker serves the endpoints. */
let restart: (calls?: number) => Promise<void>;
/** A worker with other settings, which does not start. */
let startedWith: (changed: Partial<App['config']> | { policy: Policy | undefined }) => Promise<unknown>;
const ends: (() => Promise<unknown>)[] = [];

const endpoint = (name: string): void =>
  void execFileSync(
    inject('temporalCli'),
    [
      ...['operator', 'nexus', 'endpoint', 'create', '--name', name, '--address', inject('temporalAddress')],
      ...['--target-namespace', product.namespace, '--target-task-queue', NEXUS_TASK_QUEUE],
    ],
    { stdio: 'pipe' },
  );

/** The workflow of another team that docs/input.md shows. */
function documentedCaller(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nexus-caller-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const path = join(folder, 'workflows.ts');
  const [, program = ''] = /```ts\n(.*?payThrough.*?)```/s.exec(documentText('docs/input.md')) ?? [];
  writeFileSync(path, program);
  return path;
}

type PackOf = NonNullable<NonNullable<WorkerOptions['bundlerOptions']>['webpackConfigHook']>;
const withPackage: PackOf = (config) => ({
  ...config,
  resolve: { ...config.resolve, alias: { ...config.resolve?.alias, 'durable-payouts/nexus': SERVICE } },
});
const SERVICE = join(ROOT, 'src/channels/nexus/payouts-service.ts');
type PayThrough = (endpoint: string, input: PayInput) => Promise<PayoutCallResult>;

beforeAll(async () => {
  product = await startProduct({ codecKeys: codecKeys(), settings: { policy: POLICY } });
  const { connection, native } = await temporalConnections();
  await registerNamespace(connection, CALLER);
  endpoint(ENDPOINT);
  endpoint(UNKNOWN);
  const config = Object.assign(
    loadConfig({
      PAYOUTS_HOME: mkdtempSync(join(tmpdir(), 'nexus-')),
      PAYOUTS_NEXUS_MAKERS: JSON.stringify({ [ENDPOINT]: 'erp' }),
    }),
    { settings: { ...quickSettings, policy: POLICY }, temporal: { kind: 'cluster' } },
  );
  const { namespace, store, bank, client } = product;
  const stack = { temporalAddress: inject('temporalAddress'), namespace, apiUrl: product.sandbox.url };
  const app = appOf({
    config,
    stack: stack as Parameters<typeof appOf>[0]['stack'],
    store,
    bank,
    client,
    log: createLog('silent'),
  });
  const fail = (error: Error) => {
    throw error;
  };
  const serve = (calls?: number) => startNexusWorker(app, native, fail, calls);
  startedWith = (changed) => {
    const other =
      'policy' in changed ? { settings: { ...app.settings, ...changed } } : { config: { ...config, ...changed } };
    return startNexusWorker({ ...app, ...other }, native, () => {});
  };
  let serving = await serve();
  restart = async (calls) => {
    await serving[Symbol.asyncDispose]();
    serving = await serve(calls);
  };
  ends.push(async () => serving[Symbol.asyncDispose]());
  caller = new Client({ connection, namespace: CALLER });
  const worker = await Worker.create({
    connection: native,
    namespace: CALLER,
    taskQueue: CALLER_QUEUE,
    workflowsPath: documentedCaller(),
    bundlerOptions: { webpackConfigHook: withPackage },
  });
  const running = worker.run();
  ends.push(async () => {
    worker.shutdown();
    await running;
  });
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await product[Symbol.asyncDispose]();
});

const call = (id: string, fields: Partial<PayInput> = {}, through = ENDPOINT) =>
  caller.workflow.start<PayThrough>('payThrough', {
    workflowId: `call/${id}/${Math.random()}`,
    taskQueue: CALLER_QUEUE,
    args: [through, { ...DEFAULT_PAYMENT, id, ...fields }],
  });

/** A document that another maker has submitted. */
const batchOf = (id: string, by: string) => ({
  ...batchClaim(`b-${id}`, []),
  by,
  rows: [claimRow(1, id, { ...DEFAULT_PAYMENT })],
});

const rowOf = async (documentId: string) => (await product.store.searchPayouts({ documentId }, { limit: 1 }))[0];

it('pays by a typed call of a workflow in another namespace, in the name of the maker of its endpoint', async () => {
  const result = await (await call('N-1')).result();
  expect(result).toMatchObject({ state: 'completed', reason: null, amount: '12.50', currency: 'USD' });
  expect(await ordersUnder(product, result.reference)).toMatchObject([{ order_id: result.orderId }]);
  expect(await rowOf('N-1')).toMatchObject({ by: 'erp', state: 'completed', reference: result.reference });
});

/** The sentence with which a call failed. */
const whyOf = async (started: ReturnType<typeof call>): Promise<string> => {
  const failed = await (await started).result().then(
    (result) => JSON.stringify(result),
    (error: Error) => error,
  );
  const messages: string[] = [];
  for (let it: unknown = failed; it instanceof Error; it = it.cause) {
    messages.push(it instanceof ApplicationFailure ? `${it.type}: ${it.message}` : it.message);
    if (!(it instanceof WorkflowFailedError)) expect(it.stack).not.toContain('src/channels');
  }
  return messages.join(' < ');
};

const ordersOf = async (documentId: string) => {
  const row = await rowOf(documentId);
  return row === undefined ? [] : ordersUnder(product, row.reference);
};

it('pays a document once, however often it is called for, and refuses another payment under its id', async () => {
  // The amount of N-1 again would be held as a look-alike.
  const other = { amount: '12.51' };
  const [first, second] = await Promise.all([call('N-2', other), call('N-2', other)]);
  const [one, two] = await Promise.all([first.result(), second.result()]);
  expect(two).toEqual(one);
  expect(await (await call('N-2', other)).result()).toEqual(one);
  expect(await whyOf(call('N-2', { amount: '13.50' }))).toMatch(/N-2|already|another/i);
  expect(await ordersOf('N-2')).toHaveLength(1);
});

it('takes nothing that its maker may not submit, and says why', async () => {
  expect(await whyOf(call('N-3', { account_id: 'acc-u1001-eur', currency: 'EUR' }))).toMatch(/outside-scope: /);
  expect(await whyOf(call('N-3', { amount: '12.505' }))).toMatch(/input-invalid: .*amount: /);
  expect(await whyOf(call('N-3', { amount: 12.5 as unknown as string }))).toMatch(/members are texts/);
  expect(await whyOf(call('N-3', {}, UNKNOWN))).toMatch(/this endpoint is nobody here/);
  expect(await rowOf('N-3')).toBeUndefined();
  await product.store.claimBatch(batchOf('N-4', 'alice'));
  expect(await whyOf(call('N-4'))).toMatch(/already|Somebody else/);
});

it('waits for an approval as the policy asks for it', async () => {
  const handle = await call('N-7', { amount: '151.00' });
  await until(async () => (await rowOf('N-7'))?.state === 'awaiting-approval');
  const { workflowId = '' } = (await rowOf('N-7')) ?? {};
  const payout = product.client.workflow.getHandle<() => Promise<PayoutResult>>(workflowId);
  expect(await decide(payout, await signedFor(product, payout, alice))).toBe('approved 0');
  expect(await handle.result()).toMatchObject({ state: 'completed', amount: '151.00' });
});

it('cancels no payout that came another way, for whoever starts its workflow', async () => {
  await product.store.claimBatch(batchOf('N-8', 'alice'));
  const { reference = '' } = (await rowOf('N-8')) ?? {};
  const plain = new Client({ connection: caller.connection, namespace: product.namespace });
  const handle = await plain.workflow.start(WORKFLOW_TYPES.payoutCall, {
    workflowId: 'strange',
    taskQueue: NEXUS_TASK_QUEUE,
    args: [{ reference }],
  });
  await handle.cancel();
  const asksAgain = (history: string): boolean =>
    history.includes('cancelCalledPayout') &&
    history.lastIndexOf('awaitPayoutEnd') > history.indexOf('cancelCalledPayout');
  await until(async () => asksAgain(JSON.stringify(await handle.fetchHistory())));
  expect((await rowOf('N-8'))?.state).toBe('received');
  await handle.terminate();
});

it('starts only for makers of a policy, on a cluster', async () => {
  await expect(startedWith({ policy: undefined })).rejects.toThrow(/needs a policy/);
  await expect(startedWith({ nexusMakers: { e: 'alice' } })).rejects.toThrow(/names "alice", who is no maker/);
  const temporal = { kind: 'embedded' } as App['config']['temporal'];
  await expect(startedWith({ temporal })).rejects.toThrow(/embedded Temporal/);
});

it('asks for a cancel when its caller is cancelled', async () => {
  const handle = await call('N-5', { amount: '150.00' });
  await until(async () => (await rowOf('N-5'))?.state === 'awaiting-approval');
  await restart();
  expect(await ordersOf('N-5')).toEqual([]);
  await handle.cancel();
  expect(await handle.result()).toMatchObject({ state: 'cancelled', orderId: null });
  expect(await ordersOf('N-5')).toEqual([]);
  const row = await rowOf('N-5');
  const cancels = await product.store.auditEntries({ subject: row?.reference ?? '' }, 10);
  expect(cancels.map(({ actor, action }) => `${actor} ${action}`)).toContain('erp payout cancelled');
});

it('cancels although as many calls wait as a worker can have', async () => {
  await restart(1);
  const rows = ['N-9', 'N-10'] as const;
  const [first, second] = [await call(rows[0], { amount: '152.00' }), await call(rows[1], { amount: '153.00' })];
  const states = async () => Promise.all(rows.map(async (id) => (await rowOf(id))?.state));
  await until(async () => (await states()).every((state) => state === 'awaiting-approval'));
  for (const [handle, id] of [
    [first, rows[0]],
    [second, rows[1]],
  ] as const) {
    await handle.cancel();
    await until(async () => (await rowOf(id))?.state === 'cancelled');
  }
  for (const handle of [first, second]) expect(await handle.result()).toMatchObject({ state: 'cancelled' });
});

it('leaves nothing of the payee in clear in the namespace of payouts', async () => {
  const result = await (await call('N-6', { amount: '12.52', note: 'wages of November' })).result();
  const plain = new Client({ connection: caller.connection, namespace: product.namespace });
  const handle = plain.workflow.getHandle(payoutCallId(result.reference));
  const history = JSON.stringify(await handle.fetchHistory(), (_, value) =>
    value?.type === 'Buffer' || value instanceof Uint8Array ? Buffer.from(value.data ?? value).toString() : value,
  );
  expect(history).toContain(result.reference);
  expect(history).not.toMatch(/ben-u1001|wages|acc-u1001/);
  await recordHistory(handle, 'payoutCall', 'pays');
});
