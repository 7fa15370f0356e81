import type { Client, ClientOptions, Connection, WorkflowHandle } from '@temporalio/client';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { createActivities } from '../../src/activities/index.ts';
import { listReader } from '../../src/activities/lists.ts';
import type { Bank } from '../../src/bank/bank.ts';
import { createBank } from '../../src/bank/client.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import { mainOrderKindOf, type PayoutKind, payoutWorkflowId, TASK_QUEUE } from '../../src/domain/names.ts';
import type { Terms, Waits } from '../../src/domain/policy.ts';
import type { WorkerSettings } from '../../src/domain/settings.ts';
import { checkInstruction } from '../../src/files/rules/check-instruction.ts';
import type { KeyRing } from '../../src/platform/codec/keys.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { payeeChecks } from '../../src/platform/open-bank.ts';
import { workflowBundle } from '../../src/platform/temporal/bundle.ts';
import { clientOver, refuseUndecodable, sealedPayloads } from '../../src/platform/temporal/connection.ts';
import { workerCapacity } from '../../src/platform/temporal/worker-runtime.ts';
import { executionsOver } from '../../src/platform/temporal/workflow-executions.ts';
import type { SettleTimes } from '../../src/sandbox/bank/order-machine.ts';
import {
  type RunningSandbox,
  SANDBOX_KEY,
  SANDBOX_SECRET,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/start-sandbox.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import type { PayoutResult } from '../../src/workflows/payout.ts';
import { quickCardTerms } from './card-terms.ts';
import { configWith } from './config-with.ts';
import { asWriter, createDatabase, TEMPLATE } from './databases.ts';
import { openEmptyStore } from './empty-store.ts';
import { makeNamespace } from './namespace.ts';
import { temporalConnections } from './temporal-connections.ts';
import { TEST_CLUSTER } from './test-cluster.ts';

const DEFAULTS = loadConfig({}).settings;

/**
 * Waits short enough for a test and long enough to keep their order; those for people and for money are longer than any test,
 * unless it is about their end.
 */
export const quickSettings: WorkerSettings = {
  ...DEFAULTS,
  terms: {
    ...DEFAULTS.terms,
    waits: {
      patienceMs: 60_000,
      fundsPatienceMs: 600_000,
      approvalTtlMs: 600_000,
      lateCommitMs: 1_500,
      listLagMs: 500,
      noMoneyRecheckMs: 200,
      statusAgeLimitMs: 600_000,
      pollMs: 200,
      pollMaxMs: 1_000,
    },
    auditTtlMs: 3_600_000,
  },
  cardTerms: quickCardTerms,
  listPollMs: 100,
  listPollMaxMs: 500,
  listWindowMs: 60_000,
  batchPulseMs: 100,
  quietRowMs: 1_000,
  quietCheckMs: 500,
  reconcileEveryMs: 1_000,
};

/** An order of the bank takes half a second from its POST to its end. */
const QUICK_BANK: Partial<SettleTimes> = { ACCEPTED: 100, SUBMITTING: 100, SUBMITTED: 300 };

/** What a test sets otherwise than `quickSettings`. */
export type QuickTerms = Partial<Omit<Terms, 'waits'>> & { waits?: Partial<Waits> };

const termsWith = ({ waits, ...others }: QuickTerms = {}): Terms => {
  const { terms } = quickSettings;
  return { ...terms, ...others, waits: { ...terms.waits, ...waits } };
};

/** The product on a real Temporal server with a sandbox bank of its own; every product has a namespace of its own. */
export interface Product extends AsyncDisposable {
  client: Client;
  store: Store;
  bank: Bank;
  sandbox: RunningSandbox;
  namespace: string;
  /** Starts a payout as a batch does. */
  start(
    instruction: Partial<PayoutInstruction> & { id: string },
    more?: { by?: string; batchId?: string; delayMs?: number; kind?: PayoutKind },
  ): Promise<WorkflowHandle<() => Promise<PayoutResult>>>;
  /** A request to the sandbox's test-only routes. */
  sandboxTest(method: string, path: string, body?: unknown): Promise<unknown>;
  /** A call of somebody else to the same bank, past the product; returns `data`, throws on a refusal. */
  bankCall(method: string, path: string, body?: unknown): Promise<unknown>;
  restartWorker(): Promise<void>;
  /** One more worker on the same task queue, with another store. */
  joinWorker(store: Store): Promise<{ stop(): Promise<void> }>;
  stopWorker(): Promise<void>;
}

let products = 0;

export async function startProduct(
  options: {
    settings?: Partial<Omit<WorkerSettings, 'terms'>>;
    terms?: QuickTerms;
    sandbox?: Partial<SandboxOptions>;
    store?: (store: Store) => Store;
    bank?: (bank: Bank) => Bank;
    /** Payees are checked by the sandbox. */
    checks?: boolean;
    /** Payloads are encrypted with these. */
    codecKeys?: KeyRing;
    /** Connection of its workers. */
    native?: NativeConnection;
  } = {},
): Promise<Product> {
  products += 1;
  const namespace = `test-${process.pid}-${products}-${Date.now()}`;
  const shared = await temporalConnections();
  const { connection } = shared;
  await registerNamespace(connection, namespace);
  const { codecKeys, native = shared.native } = options;
  const clientOf = (over: ClientOptions['connection']): Client =>
    clientOver(configWith({ codecKeys: () => codecKeys }), { namespace }, over);
  const client = clientOf(connection);
  const settle = { ...QUICK_BANK, ...options.sandbox?.settle };
  const sandbox = await startSandbox({ file: ':memory:', ...options.sandbox, settle });
  const store = await openProductStore(namespace);
  const bank = createBank({ baseUrl: sandbox.url, apiKey: SANDBOX_KEY, apiSecret: SANDBOX_SECRET });
  const checks =
    options.checks === true ? payeeChecks(loadConfig({ PAYOUTS_CHECKS: 'sandbox' }), sandbox.url) : undefined;
  const reads = {
    bank: options.bank?.(bank) ?? bank,
    store: options.store?.(store) ?? store,
    settings: { ...quickSettings, ...options.settings, terms: termsWith(options.terms) },
    now: Date.now,
  };
  const deps: ActivityDeps = {
    ...reads,
    readList: listReader(reads),
    checks,
    executions: executionsOver(clientOf(native), { startsHere: true }),
    checkInstruction,
    assertIdentity: async () => {},
  };
  let running = await runWorker(native, namespace, deps, codecKeys);
  const product: Product = {
    client,
    store,
    bank: deps.bank,
    sandbox,
    namespace,
    async start(instruction, { delayMs, kind = 'payout', ...more } = {}) {
      const full = { ...(kind === 'payout' ? DEFAULT_INSTRUCTION : DEFAULT_MOVES[kind]), ...instruction };
      const reference = referenceOf(full.uid, full.id, mainOrderKindOf(kind));
      const workflowId = payoutWorkflowId(reference, kind);
      const input = Object.fromEntries(Object.entries({ ...full, ...more }).filter((entry) => entry[1] !== undefined));
      await deps.executions.startPayout({
        workflowId,
        kind,
        reference,
        input: input as Record<string, string>,
        summary: 'a test payout',
        delayMs,
      });
      return client.workflow.getHandle<() => Promise<PayoutResult>>(workflowId);
    },
    async sandboxTest(method, path, body) {
      const response = await fetch(`${sandbox.url}/__sandbox/${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(`sandbox test route ${path}: HTTP ${response.status}`);
      return answer;
    },
    bankCall: (method, path, body) => callBank(sandbox.url, method, path, body),
    async stopWorker() {
      await running.stop();
    },
    async joinWorker(other) {
      return runWorker(native, namespace, { ...deps, store: other }, codecKeys);
    },
    async restartWorker() {
      await running.stop();
      running = await runWorker(native, namespace, deps, codecKeys);
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      await bank.close();
      await checks?.provider.close();
      await store.close();
      await sandbox.close();
    },
  };
  return product;
}

/** On the cluster a database of its own, which the test run drops with the cluster. */
async function openProductStore(namespace: string): Promise<Store> {
  if (TEST_CLUSTER === undefined) return openEmptyStore();
  const { postgresUrl } = TEST_CLUSTER;
  return openStore(asWriter(await createDatabase(postgresUrl, namespace.replaceAll('-', '_'), TEMPLATE)));
}

async function callBank(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const ask = async (to: string, how: string, authorization: string, payload?: unknown): Promise<unknown> => {
    const response = await fetch(url + to, {
      method: how,
      headers: { 'content-type': 'application/json', authorization },
      body: payload === undefined ? undefined : JSON.stringify(payload),
    });
    const answer = (await response.json()) as { code: number; data?: unknown };
    if (answer.code !== 0) throw new Error(`the sandbox answered ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const key = { api_key: SANDBOX_KEY, api_secret: SANDBOX_SECRET };
  const { access_token: token } = (await ask('/v1/auth', 'POST', '', key)) as { access_token: string };
  return ask(path, method, token, body);
}

/** What a payment of the sandbox's seed says beside its reference; it completes without people. */
export const DEFAULT_PAYMENT = {
  uid: 'u-1001',
  account_id: 'acc-u1001-usd',
  amount: '12.50',
  currency: 'USD',
  beneficiary_id: 'ben-u1001-usd-local',
};

/** A payout of that payment. */
export const DEFAULT_INSTRUCTION: PayoutInstruction = { id: '', ...DEFAULT_PAYMENT };

/** A transfer into a second account of the user, which a test opens, and an exchange by itself. */
export const DEFAULT_MOVES: Readonly<Record<'transfer' | 'exchange', PayoutInstruction>> = {
  transfer: {
    id: '',
    uid: 'u-1001',
    account_id: 'acc-u1001-usd',
    to_account_id: 'acc-u1001-usd-2',
    amount: '12.50',
    currency: 'USD',
  },
  exchange: {
    id: '',
    uid: 'u-1001',
    account_id: 'acc-u1001-eur',
    to_account_id: 'acc-u1001-usd',
    amount: '12.50',
    currency: 'USD',
  },
};

export interface SandboxOrder {
  order_id: string;
  type: string;
  client_order_id: string;
  status: string;
}

/** The bank's orders under a reference. */
export async function ordersUnder(product: Product, reference: string): Promise<SandboxOrder[]> {
  const { orders } = (await product.sandboxTest('GET', 'state')) as { orders: SandboxOrder[] };
  return orders.filter((order) => order.client_order_id === reference);
}

async function runWorker(
  connection: NativeConnection,
  namespace: string,
  deps: ActivityDeps,
  codecKeys: KeyRing | undefined,
): Promise<{ stop(): Promise<void> }> {
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    ...workerCapacity(),
    workflowBundle:
      codecKeys === undefined
        ? { codePath: inject('workflowBundlePath') }
        : await workflowBundle({ isEncrypted: true }),
    dataConverter: sealedPayloads(codecKeys),
    interceptors: { activity: [() => ({ inbound: refuseUndecodable })] },
    activities: createActivities(deps),
    shutdownForceTime: '60s',
  });
  const run = worker.run();
  return {
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await run;
    },
  };
}

export async function registerNamespace(connection: Connection, namespace: string): Promise<void> {
  const { SEARCH_ATTRIBUTES } = await import('../../src/domain/names.ts');
  await makeNamespace(connection, namespace);
  const kinds = { Keyword: 2, Bool: 5 } as const;
  const searchAttributes = Object.fromEntries(
    Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => [name, kinds[type]]),
  );
  for (let attempt = 0; ; attempt += 1) {
    try {
      await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
      return;
    } catch (error) {
      // The server learns of a new namespace with a delay.
      if (attempt > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
