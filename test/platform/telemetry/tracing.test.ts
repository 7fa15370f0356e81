import { ApplicationFailure } from '@temporalio/common';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { duringSpan, traceparentOf } from '../../../src/platform/telemetry/current-span.ts';
import { createMetrics } from '../../../src/platform/telemetry/metrics.ts';
import { observedCalls } from '../../../src/platform/telemetry/observed.ts';
import { startTracing, type Tracing, traceOf } from '../../../src/platform/telemetry/tracing.ts';
import { answer, inOrder, ok, scriptedBank } from '../../bank/support/scripted-bank.ts';
import { PAYMENT, testBank } from '../../bank/support/test-bank.ts';
import { receiveTraces, saidBy, type TraceReceiver } from '../../support/trace-receiver.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const it of opened.splice(0)) await it[Symbol.asyncDispose]();
});

/** Ids have a word that no id and no time of a span can hold by chance. */
const PAYOUT = { workflowId: 'payout/6f0c', workflowType: 'payout' };

interface Given {
  toBank?: boolean;
  status?: number;
  /** How many rows came with it, if a traced request brought it. */
  rows?: number;
}

async function traced({ toBank = false, status = 200, rows }: Given = {}) {
  const receiver = await receiveTraces({ status });
  opened.push(receiver);
  const refused: Error[] = [];
  const tracing = startTracing({
    ...{ url: receiver.url, toBank, bankUrl: 'https://bank.example', version: '1.2.3', deployment: 'sandbox' },
    broughtBy: async () => (rows === undefined ? undefined : { traceparent: traceparentOf(REQUEST), total: rows }),
    onRefused: (error) => refused.push(error),
  });
  return { receiver, refused, tracing };
}

const REQUEST = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true };
const ROW = { workflowId: PAYOUT.workflowId, kind: 'payout', reference: '6f0c', batchId: 'b-1' } as const;
const END = { ...ROW, createdAt: 1_000, state: 'failed', reasonCode: 'refused-by-bank' } as const;

/** Runs something as an activity of a workflow. */
function asActivity<T>(tracing: Tracing, { workflowId, workflowType }: typeof PAYOUT, run: () => Promise<T>) {
  const workflowExecution = { workflowId, runId: 'run-1' };
  const info = { workflowExecution, workflowType, activityType: 'submitPayment', attempt: 1, isLocal: false };
  const { inbound } = tracing.activity({ info } as Parameters<Tracing['activity']>[0]);
  return inbound?.execute?.({ args: [], headers: {} }, run);
}

/** A payment and a read of an order, with an account and a payee in both. */
async function twoCalls(tracing: Tracing, of: typeof PAYOUT) {
  const server = await scriptedBank(inOrder(ok({ order_id: 'o-1' }), answer(200, { code: 2010 })));
  const bank = testBank(server.baseUrl, { onCall: observedCalls(createMetrics(), tracing) });
  opened.push(bank, server);
  await asActivity(tracing, of, async () => {
    await bank.transactions.payment(PAYMENT);
    await bank.orders.get('o-kiwi').catch(() => undefined);
  });
  return server.seen.map(({ headers }) => headers.traceparent);
}

const sent = async (tracing: Tracing, receiver: TraceReceiver) => {
  await tracing.close();
  return receiver.spans();
};

it('calls of the bank are under the activity that makes them, in the trace of the workflow id, with their results', async () => {
  const { tracing, receiver } = await traced();
  expect(await twoCalls(tracing, PAYOUT)).toEqual([undefined, undefined]);
  const spans = await sent(tracing, receiver);
  const { traceId, spanId } = traceOf(PAYOUT.workflowId);
  expect(spans.every((span) => span.traceId === traceId)).toBe(true);
  const [post, get, activity] = spans;
  expect(activity).toMatchObject({ name: 'RunActivity:submitPayment', parentSpanId: spanId });
  expect([post, get].map((span) => [span?.parentSpanId, span && saidBy(span)['bank.result']])).toEqual([
    [activity?.spanId, 'ok'],
    [activity?.spanId, 'refused'],
  ]);
  expect(post && saidBy(post)).toEqual({
    'http.request.method': 'POST',
    'url.template': '/v1/banking/transactions/payment',
    'http.response.status_code': 200,
    'server.address': 'bank.example',
    'server.port': 443,
    'bank.result': 'ok',
  });
  expect(receiver.text()).not.toMatch(
    new RegExp(`${PAYMENT.uid}|${PAYMENT.account_id}|${PAYMENT.beneficiary_id}|kiwi`),
  );
});

it('the bank is sent the trace only where that is set, and then of the call itself', async () => {
  const { tracing, receiver } = await traced({ toBank: true });
  const reported = await twoCalls(tracing, PAYOUT);
  const calls = (await sent(tracing, receiver)).slice(0, 2);
  expect(reported).toEqual(calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
});

it('what is about no single row is not traced', async () => {
  const { tracing, receiver } = await traced({ toBank: true });
  expect(await twoCalls(tracing, { workflowId: 'order-watch/u-1001/USD', workflowType: 'orderWatch' })).toEqual([
    undefined,
    undefined,
  ]);
  expect(await sent(tracing, receiver)).toEqual([]);
});

it('a failure is reported by its type, never by its words; one that only waits is no error', async () => {
  const { tracing, receiver } = await traced();
  const failing = (type: string, category?: 'BENIGN') =>
    asActivity(tracing, PAYOUT, () =>
      Promise.reject(ApplicationFailure.create({ type, message: 'account kiwi of alice', category })),
    )?.catch(() => undefined);
  await failing('bank-unavailable');
  await failing('not-yet', 'BENIGN');
  const spans = await sent(tracing, receiver);
  expect(spans.map((span) => [saidBy(span)['error.type'], span.status.code ?? 0])).toEqual([
    ['bank-unavailable', 2],
    ['not-yet', 0],
  ]);
  expect(receiver.text()).not.toMatch(/alice|kiwi/);
});

it('the span of the workflow is reported at its end, from the claim on, under the id that its activities name', async () => {
  const { tracing, receiver } = await traced();
  await tracing.ended(END, 5_000);
  const [root] = await sent(tracing, receiver);
  expect(root).toMatchObject({ ...traceOf(PAYOUT.workflowId), name: 'RunWorkflow:payout' });
  expect([root?.startTimeUnixNano, root?.endTimeUnixNano]).toEqual(['1000000000', '5000000000']);
  expect(root && saidBy(root)).toEqual({
    temporalWorkflowID: 'payout/6f0c',
    'payout.reference': '6f0c',
    'payout.batch': 'b-1',
    'payout.state': 'failed',
    'payout.reason': 'refused-by-bank',
  });
});

it('a payout that came alone is in the trace of its request; the rows of a file are linked to it', async () => {
  const alone = await traced({ rows: 1 });
  await asActivity(alone.tracing, PAYOUT, async () => undefined);
  await alone.tracing.ended(END, 5_000);
  const { spanId, traceId } = traceOf(PAYOUT.workflowId);
  const [activity, root] = await sent(alone.tracing, alone.receiver);
  expect(root).toMatchObject({ traceId: REQUEST.traceId, spanId, parentSpanId: REQUEST.spanId });
  expect(activity).toMatchObject({ traceId: REQUEST.traceId, parentSpanId: spanId });

  const among = await traced({ rows: 2 });
  await among.tracing.ended(END, 5_000);
  const [linked] = await sent(among.tracing, among.receiver);
  expect(linked).toMatchObject({ traceId, spanId, links: [{ traceId: REQUEST.traceId, spanId: REQUEST.spanId }] });
});

it('a request of the gateway is a span of its sender, if the sender records it, and calls of the bank are below it', async () => {
  const { tracing, receiver } = await traced();
  const request = tracing.request('GET', REQUEST);
  duringSpan(request.ids, () => tracing.bankCall('GET /v1/banking/accounts')?.ended('ambiguous', 5, 503));
  request.answered('/v1/accounts', 502);
  const unrecorded = tracing.request('GET', { ...REQUEST, isSampled: false });
  expect(unrecorded.ids).toMatchObject({ traceId: REQUEST.traceId, isSampled: false });
  unrecorded.answered('/v1/accounts', 200);
  const [call, answered, ...more] = await sent(tracing, receiver);
  expect(more).toEqual([]);
  expect(answered).toMatchObject({ traceId: REQUEST.traceId, parentSpanId: REQUEST.spanId, name: 'GET /v1/accounts' });
  expect(answered && saidBy(answered)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/v1/accounts',
    'http.response.status_code': 502,
    'error.type': '502',
  });
  expect(call).toMatchObject({ parentSpanId: answered?.spanId });
  expect(call && saidBy(call)).toMatchObject({ 'http.response.status_code': 503, 'error.type': '503' });
});

it('says which build and instance it is, and what the environment says about it', async () => {
  vi.stubEnv('OTEL_SERVICE_NAME', 'payroll');
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=staging,team=treasury');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { tracing, receiver } = await traced();
  tracing.request('GET', undefined).answered('/v1/accounts', 200);
  await tracing.close();
  expect(receiver.resource()).toEqual({
    'service.name': 'payroll',
    'service.version': '1.2.3',
    'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'deployment.environment.name': 'staging',
    team: 'treasury',
  });
});

it('a receiver that takes nothing is reported, and changes nothing', async () => {
  const { tracing, refused } = await traced({ status: 400 });
  expect(await asActivity(tracing, PAYOUT, async () => 'paid')).toBe('paid');
  await tracing.close();
  expect(refused).toHaveLength(1);
});
