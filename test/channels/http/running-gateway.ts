import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { EventQueue } from '../../../src/bank/webhooks/receiver.ts';
import { type Gateway, uploadsOf } from '../../../src/channels/http/gateway-app.ts';
import { startGateway } from '../../../src/channels/http/gateway-server.ts';
import type { GuardedRoute } from '../../../src/channels/http/route-access.ts';
import type { DecideUpdate, Policy } from '../../../src/domain/authority.ts';
import type { ResolveRequest } from '../../../src/domain/payout-state.ts';
import type { GatewayToken } from '../../../src/platform/config/gateway.ts';
import { Secret } from '../../../src/platform/config/key.ts';
import { type Config, loadConfig } from '../../../src/platform/config.ts';
import type { Notice } from '../../../src/platform/open-bank.ts';
import { codecKeys } from '../../support/codec-keys.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';
import { quickSettings } from '../../support/product.ts';
import { type FakeCards, fakeCards, PAGE } from './fake-cards.ts';

/** An answer: its status and its document (the text for what is no JSON). */
export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: documents are compared by what a test expects of them
  document: any;
  headers: Headers;
}

export interface RunningGateway {
  proxy: FaultProxy;
  url: string;
  /** Lines of its log. */
  log: string[];
  /** Controls that were asked for. */
  controls: { batchId: string; update: string; by: string }[];
  /** What payouts received as decisions of people. */
  decisions: ({ reference: string } & DecideUpdate)[];
  /** What operators have said about payouts. */
  resolves: ({ reference: string } & ResolveRequest)[];
  /** Payouts that somebody has asked to cancel. */
  cancels: { reference: string; by: string; reason: string }[];
  /** Card payments without Temporal. */
  cards: FakeCards;
  /** Every route of the server, with whom it is for. */
  routes: readonly GuardedRoute[];
  /** What is reported of parts that are up. */
  notices: Notice[];
  app: Gateway;
  /** Puts the sandbox's checkout page beside it, under this address, or takes it away. */
  checkoutAt(apiUrl: string | undefined): void;
  /** Folder of uploaded bodies. */
  uploads: string;
  close(): Promise<void>;
  send(path: string, request?: RequestInit): Promise<Answered>;
  /** Hands over a CSV. */
  post(query: string, csv: string, headers?: Record<string, string>): Promise<Answered>;
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
  const settings = {
    ...quickSettings,
    get policy() {
      return typeof policy === 'function' ? policy() : policy;
    },
  };
  const loaded = loadConfig({ ...env });
  const gatewayConfig = { ...loaded.gateway, tokens: new Secret(tokens), perMinute, atOnce };
  const proxy = await openFaultProxy({
    env,
    settings,
    config: {
      gateway: gatewayConfig,
      cards: { ...loaded.cards, checkoutOrigins: [PAGE] },
      // There is no checkout page beside it.
      bank: { ...loaded.bank, kind: 'remote', url: 'http://bank.example' } as Config['bank'],
      codecKeys,
    },
  });
  const { temporal } = proxy;
  const controls: RunningGateway['controls'] = [];
  const decisions: RunningGateway['decisions'] = [];
  const resolves: RunningGateway['resolves'] = [];
  const cancels: RunningGateway['cancels'] = [];
  temporal.answer = ({ workflowId, name, payload }) => {
    const [kind, id = ''] = workflowId.split('/');
    if (kind === 'payout-batch') {
      controls.push({ batchId: id, update: name, ...(payload as { by: string }) });
      return { control: 'paused' };
    }
    const [reported, outcome] = { decide: [decisions, 'counted'], cancel: [cancels, 'cancelled'] }[name] ?? [
      resolves,
      '',
    ];
    (reported as object[]).push({ reference: id, ...(payload as object) });
    return name === 'resolve' ? { accepted: true, message: 'searched again; nothing new' } : { outcome };
  };
  const cards = fakeCards(temporal);
  const notices: Notice[] = [];
  const app: Gateway = Object.assign(proxy.app, {
    vault: cards.vault,
    webhooks: {
      take: async () => ({ refused: 'unconfigured' as const }),
      queue: new EventQueue(async () => undefined, pino({ level: 'silent' })),
    },
    notices: async () => notices,
  });
  const gateway = await startGateway(app, { host: '127.0.0.1', port });
  onTestFinished(() => gateway.close());
  const { url, routes } = gateway;
  const send = async (path: string, request: RequestInit = {}): Promise<Answered> => {
    const response = await fetch(url + path, request);
    const text = await response.text();
    const json = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, document: json ? JSON.parse(text) : text, headers: response.headers };
  };
  const post = (query: string, csv: string, headers: Record<string, string> = {}): Promise<Answered> =>
    send(`/v1/batches${query}`, { method: 'POST', body: csv, headers: { 'content-type': 'text/csv', ...headers } });
  return {
    proxy,
    url,
    log: proxy.lines,
    controls,
    decisions,
    resolves,
    cancels,
    cards,
    notices,
    routes,
    app,
    uploads: uploadsOf(app.config),
    checkoutAt(apiUrl) {
      Object.assign(app.config.bank, { kind: apiUrl === undefined ? 'remote' : 'sandbox' });
      Object.assign(app.stack, { apiUrl });
    },
    close: () => gateway.close(),
    send,
    post,
  };
}
