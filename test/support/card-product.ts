import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { inject } from 'vitest';
import { openGateway } from '../../src/channels/http/gateway.ts';
import type { CardState, CardStateView } from '../../src/domain/card-payment.ts';
import { cardWorkflowId } from '../../src/domain/names.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { repeatDroppedUpdates } from '../../src/platform/temporal/connection.ts';
import { SCENARIOS, type ScenarioName } from '../../src/sandbox/acquirer/card.ts';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { startWorker } from '../../src/worker.ts';
import type { CardPaymentResult } from '../../src/workflows/card-payment.ts';
import type { AlteredAnswers } from './altered-answers.ts';
import { registerNamespace } from './product.ts';
import { temporalConnections } from './temporal-connections.ts';
import { until } from './until.ts';

export type CardPaymentHandle = WorkflowHandle<() => Promise<CardPaymentResult>>;

/** What is asked of the gateway; the test card of a scenario unless another is given. */
interface CardAsk {
  id: string;
  card?: ScenarioName | null;
  amount?: string;
  currency?: string;
  three_ds?: 'setup' | 'skip';
  payment_type?: 'AUTH' | 'DEBIT';
}

/** The whole card side in one process: gateway with its vault and webhooks, worker, store, sandbox acquirer. */
export interface CardProduct extends AsyncDisposable {
  client: Client;
  store: Store;
  storeUrl: string;
  sandbox: RunningSandbox;
  gatewayUrl: string;
  namespace: string;
  ask(given: CardAsk): Promise<CardPaymentHandle>;
  /** A request to the gateway; its answer with any status. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Called>;
  sandboxTest(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** The cardholder enters a card. */
  giveCard(id: string, card: ScenarioName): Promise<Called>;
  /** The cardholder confirms or cancels on the page of the issuer; returns where the browser is sent then. */
  answerChallenge(id: string, answer: 'confirm' | 'cancel'): Promise<string>;
  /** Payments at the acquirer under any id of the intent's. */
  paymentsOf(id: string): Promise<SandboxPayment[]>;
  untilState(id: string, ...states: CardState[]): Promise<CardStateView>;
  /** Another gateway process, as far as the cards are concerned: a new vault, the same address. */
  restartGateway(): Promise<void>;
  restartWorker(): Promise<void>;
}

interface Called {
  status: number;
  body: Record<string, unknown>;
}

interface SandboxPayment {
  payment_id: string;
  status: string;
  merchant_request_id: string;
  amount: string;
  [member: string]: unknown;
}

const SECRET = `whsec_${Buffer.from('a secret of tests only, of 32 by').toString('base64')}`;

/** `before`: the proxy before the acquirer. */
export async function startCardProduct(
  env: Readonly<Record<string, string>> = {},
  before?: (url: string) => Promise<AlteredAnswers>,
): Promise<CardProduct> {
  await using opened = new AsyncDisposableStack();
  const address = inject('temporalAddress');
  const namespace = `cards-${process.pid}-${Date.now()}-${Math.trunc(Math.random() * 1e6)}`;
  const { connection } = await temporalConnections();
  await registerNamespace(connection, namespace);
  const client = new Client({ connection, namespace, interceptors: { workflow: [repeatDroppedUpdates] } });
  const sandbox = opened.adopt(await startSandbox({ file: ':memory:' }), (it) => it.close());
  const front = before === undefined ? undefined : opened.use(await before(sandbox.url));
  const apiUrl = front?.url ?? sandbox.url;
  const home = opened.adopt(await mkdtemp(join(tmpdir(), 'payouts-cards-')), (it) => rm(it, { recursive: true }));
  const config = loadConfig({
    PAYOUTS_HOME: home,
    XDG_STATE_HOME: home,
    PAYOUTS_API_URL: apiUrl,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    PAYOUTS_ONE_MACHINE: 'true',
    PAYOUTS_TIME_SCALE: '0.02',
    PAYOUTS_CARD_PATIENCE: '120s',
    // Four minutes: no machine is so busy. Tests of its end have one of their own.
    PAYOUTS_CARD_DEADLINE: '200m',
    PAYOUTS_WEBHOOK_SECRET: SECRET,
    PAYOUTS_LOG_LEVEL: 'silent',
    ...env,
  });
  const place = { temporalAddress: address, namespace, uiUrl: null, apiUrl };
  const log = createLog('silent');
  const store = opened.adopt(await openStore(config.storeUrl.reveal()), (it) => it.close());
  let worker = await startWorker(config, place, log);
  let gateway = await openGateway(config, place, { host: '127.0.0.1', port: 0 }, log);
  opened.defer(() => worker.close());
  opened.defer(() => gateway.close());
  const port = Number(new URL(gateway.url).port);
  const sandboxTest = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> =>
    (await calling(`${sandbox.url}/__sandbox/${path}`, method, body)).body;
  await sandboxTest('PUT', 'webhooks', {
    url: `${gateway.url}/v1/webhooks/cards`,
    secret: SECRET,
    scheme: 'standard-webhooks',
    firstRetryMs: 200,
  });
  const handleOf = (id: string): CardPaymentHandle =>
    client.workflow.getHandle<() => Promise<CardPaymentResult>>(cardWorkflowId(id));
  const state = (id: string): Promise<CardStateView> => handleOf(id).query<CardStateView>('state');
  const kept = opened.move();
  const product: CardProduct = {
    client,
    store,
    storeUrl: config.storeUrl.reveal(),
    sandbox,
    namespace,
    gatewayUrl: gateway.url,
    call: (method, path, body, headers) => calling(gateway.url + path, method, body, headers),
    async ask({ id, card = 'success', ...more }) {
      const { status, body } = await product.call('POST', '/v1/card-payments', {
        merchant_request_id: id,
        amount: '49.90',
        currency: 'EUR',
        return_url: 'http://127.0.0.1/back',
        ...more,
        ...(card === null ? {} : { card: cardOf(card) }),
      });
      if (status !== 202) throw new Error(`the gateway answered ${status}: ${JSON.stringify(body)}`);
      return handleOf(id);
    },
    sandboxTest,
    giveCard: (id, card) =>
      product.call('POST', `/v1/card-payments/${id}/card`, {
        card: cardOf(card),
        return_url: 'http://127.0.0.1/back',
      }),
    async answerChallenge(id, answer) {
      const { next_action: action } = await product.untilState(id, 'awaiting-cardholder');
      const response = await fetch(action?.verify_url ?? '', {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `outcome=${answer}`,
      });
      if (response.status !== 303) throw new Error(`the page of the issuer answered ${response.status}`);
      return response.headers.get('location') ?? '';
    },
    async paymentsOf(id) {
      const { payments } = (await sandboxTest('GET', 'card-payments')) as { payments: SandboxPayment[] };
      const owners = await Promise.all(
        payments.map(
          async (payment) => [payment, await store.cards.ownerOfRequest(payment.merchant_request_id)] as const,
        ),
      );
      return owners.filter(([, owner]) => owner === id).map(([payment]) => payment);
    },
    async untilState(id, ...states) {
      let view: CardStateView | undefined;
      let unanswered: unknown;
      await until(async () => {
        try {
          view = await state(id);
          unanswered = undefined;
        } catch (error) {
          unanswered = error;
        }
        return unanswered === undefined && view !== undefined && states.includes(view.state);
      }).catch(async () => {
        const stopped = await Promise.race([worker.failure, undefined]);
        const seen = view?.evidence.map(({ what }) => what).join('; ');
        const message = `${id} is ${view?.state} (${view?.reason?.code}), not ${states.join(' or ')}: ${seen}`;
        throw new Error(message, { cause: stopped ?? unanswered });
      });
      return view as CardStateView;
    },
    async restartGateway() {
      await gateway.close();
      gateway = await openGateway(config, place, { host: '127.0.0.1', port }, log);
    },
    async restartWorker() {
      await worker.close();
      worker = await startWorker(config, place, log);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  return product;
}

/** A card of a scenario: nobody's. */
export const cardOf = (scenario: ScenarioName) => ({
  number: SCENARIOS[scenario].number,
  expiry_month: '12',
  expiry_year: '2039',
  cvv: '123',
  holder_name: 'Test Cardholder',
});

/** Resets a run to before the task in which it asked for an activity: its history then lacks all that came of it. */
export async function resetBefore(product: CardProduct, handle: CardPaymentHandle, activity: string): Promise<void> {
  const { events } = await handle.fetchHistory();
  const scheduled = events?.find(
    ({ activityTaskScheduledEventAttributes: it }) => it?.activityType?.name === activity,
  )?.activityTaskScheduledEventAttributes;
  await product.client.workflowService.resetWorkflowExecution({
    namespace: product.namespace,
    workflowExecution: { workflowId: handle.workflowId },
    workflowTaskFinishEventId: scheduled?.workflowTaskCompletedEventId,
    requestId: 'reset',
    reason: 'a test',
  });
}

async function calling(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Called> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}
