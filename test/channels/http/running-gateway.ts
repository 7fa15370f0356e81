import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Bank } from '../../../src/bank/bank.ts';
import { EventQueue } from '../../../src/bank/webhooks/event-queue.ts';
import { type Caller, tokenSha256, tokensOf } from '../../../src/channels/http/callers.ts';
import type { GatewayDeps } from '../../../src/channels/http/gateway-deps.ts';
import { operationsAt } from '../../../src/channels/http/operations/all.ts';
import type { Place } from '../../../src/channels/http/operations/place.ts';
import type { GuardedRoute } from '../../../src/channels/http/route-access.ts';
import { startGateway } from '../../../src/channels/http/server.ts';
import type { DecideUpdate } from '../../../src/domain/approval.ts';
import type { Policy, SignedDecision } from '../../../src/domain/authority.ts';
import { Problem } from '../../../src/domain/problem.ts';
import type { ResolveRequest } from '../../../src/domain/resolve-action.ts';
import type { GatewayToken } from '../../../src/platform/config/gateway.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { sidesShown } from '../../../src/reports/both-sides.ts';
import { stepContext } from '../../../src/reports/report-source.ts';
import { codecKeys } from '../../support/codec-keys.ts';
import { openTestDoor, type TestDoor } from '../../support/doors.ts';
import { quickSettings } from '../../support/product.ts';
import { type FakeCards, fakeCards } from './fake-cards.ts';

/** An answer: its status and its document (the text for what is no JSON). */
export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: documents are compared by what a test expects of them
  document: any;
  headers: Headers;
}

export interface RunningGateway {
  door: TestDoor;
  url: string;
  /** Lines of its log. */
  log: string[];
  /** Controls that were asked for. */
  controls: { batchId: string; update: string; by: string }[];
  /** What payouts were told that people have decided. */
  decisions: ({ reference: string } & DecideUpdate)[];
  /** What operators have said about payouts. */
  resolves: ({ reference: string } & ResolveRequest)[];
  /** Payouts that somebody has asked to cancel. */
  cancels: { reference: string; by: string; reason: string }[];
  /** Plans whose rows were told. */
  plans: SignedDecision[];
  /** Card payments without Temporal. */
  cards: FakeCards;
  /** Every route of the server, with whom it is for. */
  routes: readonly GuardedRoute[];
  /** What is told of parts that are up. */
  warnings: string[];
  deps: GatewayDeps;
  close(): Promise<void>;
  send(path: string, request?: RequestInit): Promise<Answered>;
  /** Hands over a CSV. */
  post(query: string, csv: string, headers?: Record<string, string>): Promise<Answered>;
}

/** Where operations are carried out: without Temporal. */
function placeOf(
  door: TestDoor,
  cards: FakeCards,
  policy: Policy | undefined,
  caller: Caller,
  env: Record<string, string> | undefined,
): Place {
  const { dir, store, bank } = door;
  const config = loadConfig({ PAYOUTS_HOME: join(dir, 'home'), ...env });
  const ui = async () => ({ url: 'http://ui.example', namespace: 'default' });
  return {
    config: { ...config, settings: { ...quickSettings, policy } },
    store,
    caller,
    now: Date.now,
    client: () => Promise.reject(new Problem('unreachable', 'temporal-unreachable', 'Temporal does not answer.')),
    bank: async () => bank as Bank,
    readingBank: (use) => use(bank as Bank),
    liveBank: async () => bank as Bank,
    ui,
    liveUi: ui,
    intake: async (maker) => ({ ...door, policy, maker, asksOne: policy !== undefined }),
    answerMs: 1_000,
    updateCard: (...asked) => cards.update(...asked),
    carriedOut: async () => {},
  };
}

/** The gateway on a sandbox bank and a store in memory; gone after the test. */
export async function openGateway(
  tokens: readonly GatewayToken[] = [],
  {
    policy,
    perMinute = 100_000,
    atOnce = 10_000,
    port = 0,
    env,
  }: {
    policy?: Policy | (() => Policy);
    perMinute?: number;
    atOnce?: number;
    port?: number;
    env?: Record<string, string>;
  } = {},
): Promise<RunningGateway> {
  const door = await openTestDoor({ env });
  const log: string[] = [];
  const controls: RunningGateway['controls'] = [];
  const decisions: RunningGateway['decisions'] = [];
  const resolves: RunningGateway['resolves'] = [];
  const cancels: RunningGateway['cancels'] = [];
  const plans: SignedDecision[] = [];
  const cards = fakeCards();
  const warnings: string[] = [];
  const deps: GatewayDeps = {
    store: door.store,
    intake: async () => door,
    document: door.document,
    report: async (batchId, isMasked) =>
      (await door.report(batchId, { folder: join(door.dir, 'home', 'reports'), isMasked })).head.reports,
    erpFile: door.erpFile,
    refused: door.refused,
    async control({ batchId }, update, by) {
      controls.push({ batchId, update, by });
      return { control: 'paused' };
    },
    ready: {
      store: () => door.store.identity(),
      temporal: door.assertReady,
      bank: () => door.bank.authenticate(),
    },
    warnings: async () => warnings,
    workflowUrl: (workflowId) => `http://ui.example/${workflowId}`,
    cards,
    webhooks: {
      take: async () => ({ refused: 'unconfigured' }),
      queue: new EventQueue(async () => undefined, pino({ level: 'silent' })),
    },
    access: () => {
      const now = typeof policy === 'function' ? policy() : policy;
      if (now !== undefined) return { tokens: tokensOf(now), needsToken: true, policy: now };
      return { tokens: tokens.map(({ name, token }) => ({ name, sha256: tokenSha256(token) })), needsToken: false };
    },
    codec: { keys: codecKeys(), namespace: 'payouts', origins: ['http://temporal-ui.example'] },
    pages: {
      settings: {
        get policy() {
          return typeof policy === 'function' ? policy() : policy;
        },
        terms: quickSettings.terms,
      },
      async decide({ reference }, update) {
        decisions.push({ reference, ...update });
        return 'counted';
      },
      async resolve({ reference }, request) {
        resolves.push({ reference, ...request });
        return 'looked again; nothing new';
      },
      async cancel({ reference }, request) {
        cancels.push({ reference, ...request });
        return 'cancelled';
      },
      stepContext: (payouts) =>
        stepContext(
          { settings: { ...quickSettings, policy: typeof policy === 'function' ? policy() : policy } },
          door.store,
          payouts,
        ),
      bothSides: (payout) =>
        sidesShown({ store: door.store, bank: door.bank, clockSkewMs: quickSettings.clockSkewMs }, payout),
      bank: door.bank,
      async signalPlan(signed) {
        plans.push(signed);
      },
    },
    operations: operationsAt((caller) =>
      placeOf(door, cards, typeof policy === 'function' ? policy() : policy, caller, env),
    ),
    perMinute,
    atOnce,
    now: Date.now,
    uploads: join(door.dir, 'uploads'),
    log: pino({ level: 'info' }, { write: (line: string) => log.push(line) }),
  };
  const gateway = await startGateway(deps, { host: '127.0.0.1', port });
  onTestFinished(() => gateway.close());
  const { url, routes } = gateway;
  const send = async (path: string, request: RequestInit = {}): Promise<Answered> => {
    const response = await fetch(url + path, request);
    const text = await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, document: json ? JSON.parse(text) : text, headers: response.headers };
  };
  const post = (query: string, csv: string, headers: Record<string, string> = {}): Promise<Answered> =>
    send(`/v1/batches${query}`, { method: 'POST', body: csv, headers: { 'content-type': 'text/csv', ...headers } });
  return {
    door,
    url,
    log,
    controls,
    decisions,
    resolves,
    cancels,
    plans,
    cards,
    warnings,
    routes,
    deps,
    close: () => gateway.close(),
    send,
    post,
  };
}
