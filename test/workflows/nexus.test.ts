import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startNexusWorker } from '../../src/channels/nexus/nexus-worker.ts';
import type { PayInput } from '../../src/channels/nexus/payouts-service.ts';
import { NEXUS_TASK_QUEUE, payoutCallId } from '../../src/domain/names.ts';
import { appOf } from '../../src/platform/app.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { batchClaim, claimRow } from '../store/samples.ts';
import { codecKeys } from '../support/codec-keys.ts';
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
import type { payThrough } from './nexus-caller.ts';

const CALLER = `caller-${process.pid}-${Date.now()}`;
const CALLER_QUEUE = 'hr';
const ENDPOINT = `pay-${process.pid}-${Date.now()}`;
const UNKNOWN = `other-${process.pid}-${Date.now()}`;

/** `erp` may pay in US dollars, without anybody's signature. */
const POLICY = policyOf(
  [signingPerson('erp', ['maker'], { currencies: ['USD'] }), signingPerson('alice', ['approver'])],
  { approvals: [{ currency: 'USD', amountAtLeast: '100.00', approvals: 1 }] },
);

let product: Product;
let caller: Client;
/** Another worker serves the endpoints. */
let restart: () => Promise<void>;
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
  const serve = () =>
    startNexusWorker(app, native, (error) => {
      throw error;
    });
  let serving = await serve();
  restart = async () => {
    await serving[Symbol.asyncDispose]();
    serving = await serve();
  };
  ends.push(async () => serving[Symbol.asyncDispose]());
  caller = new Client({ connection, namespace: CALLER });
  const worker = await Worker.create({
    connection: native,
    namespace: CALLER,
    taskQueue: CALLER_QUEUE,
    workflowsPath: fileURLToPath(new URL('nexus-caller.ts', import.meta.url)),
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
  caller.workflow.start<typeof payThrough>('payThrough', {
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
  for (let it: unknown = failed; it instanceof Error; it = it.cause) messages.push(it.message);
  return messages.join(' < ');
};

const ordersOf = async (documentId: string) => {
  const row = await rowOf(documentId);
  return row === undefined ? [] : ordersUnder(product, row.reference);
};

it('pays a document once, however often it is called for, and refuses another payment under its id', async () => {
  const [first, second] = await Promise.all([call('N-2'), call('N-2')]);
  const [one, two] = await Promise.all([first.result(), second.result()]);
  expect(two).toEqual(one);
  expect(await (await call('N-2')).result()).toEqual(one);
  expect(await whyOf(call('N-2', { amount: '13.50' }))).toMatch(/N-2|already|another/i);
  expect(await ordersOf('N-2')).toHaveLength(1);
});

it('takes nothing that its maker may not submit, and says why', async () => {
  expect(await whyOf(call('N-3', { account_id: 'acc-u1001-eur', currency: 'EUR' }))).toMatch(/scope/);
  expect(await whyOf(call('N-3', { amount: '12.505' }))).toMatch(/amount: /);
  expect(await whyOf(call('N-3', { amount: 12.5 as unknown as string }))).toMatch(/members are texts/);
  expect(await whyOf(call('N-3', {}, UNKNOWN))).toMatch(/this endpoint is nobody here/);
  expect(await rowOf('N-3')).toBeUndefined();
  await product.store.claimBatch(batchOf('N-4', 'alice'));
  expect(await whyOf(call('N-4'))).toMatch(/already|Somebody else/);
});

it('asks people as the policy has it, and for a cancel when its caller is cancelled', async () => {
  const handle = await call('N-5', { amount: '150.00' });
  await until(async () => (await rowOf('N-5'))?.state === 'awaiting-approval');
  await restart();
  expect(await ordersOf('N-5')).toEqual([]);
  await handle.cancel();
  expect(await handle.result()).toMatchObject({ state: 'cancelled', orderId: null });
  expect(await ordersOf('N-5')).toEqual([]);
  const row = await rowOf('N-5');
  const cancels = await product.store.auditEntries({ subject: row?.reference ?? '' }, 10);
  expect(cancels.map(({ actor, action }) => `${actor} ${action}`)).toContain('erp cancel');
});

it('leaves nothing of the payee in clear in the namespace of payouts', async () => {
  const result = await (await call('N-6', { note: 'wages of November' })).result();
  const plain = new Client({ connection: caller.connection, namespace: product.namespace });
  const handle = plain.workflow.getHandle(payoutCallId(result.reference));
  const history = JSON.stringify(await handle.fetchHistory(), (_, value) =>
    value?.type === 'Buffer' || value instanceof Uint8Array ? Buffer.from(value.data ?? value).toString() : value,
  );
  expect(history).toContain(result.reference);
  expect(history).not.toMatch(/ben-u1001|wages|acc-u1001/);
  await recordHistory(handle, 'payoutCall', 'pays');
});
