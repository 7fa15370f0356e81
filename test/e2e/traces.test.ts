import { expect, it, onTestFinished } from 'vitest';
import { traceOf } from '../../src/platform/telemetry/tracing.ts';
import { openCommandHome, QUICK } from '../support/command.ts';
import { type ReceivedSpan, receiveTraces, saidBy } from '../support/trace-receiver.ts';
import { until } from '../support/until.ts';
import { batchOf } from './documents.ts';
import { csvOf, payable } from './payout-files.ts';

it('one payout is one trace of workflow, activities and calls of the bank, and says nothing about whom it pays', async () => {
  const receiver = await receiveTraces();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const home = openCommandHome({ ...QUICK, PAYOUTS_TRACES_URL: receiver.url });
  onTestFinished(() => home.close());
  const file = home.file('two.csv', csvOf([{ id: 'TRACED-1', note: 'kanarienvogel' }, { id: 'TRACED-2' }]));
  const { payouts } = batchOf(await home.payouts('run', file, '--yes', '--json'));
  expect(payouts.map(({ state }) => state)).toEqual(['completed', 'completed']);

  // A worker that goes on sends them when some have come together, and the workflow's own is the last of its trace.
  const isRoot = ({ parentSpanId }: ReceivedSpan): boolean => !parentSpanId;
  await until(async () => receiver.spans().filter(isRoot).length === payouts.length);
  const byTrace = Map.groupBy(receiver.spans(), ({ traceId }) => traceId);
  expect([...byTrace.keys()].sort()).toEqual(payouts.map(({ workflowId }) => traceOf(workflowId).traceId).sort());
  for (const { workflowId, reference } of payouts) {
    const spans = byTrace.get(traceOf(workflowId).traceId) ?? [];
    const roots = spans.filter(isRoot);
    expect(roots).toHaveLength(1);
    const [root] = roots as [ReceivedSpan];
    expect(root).toMatchObject({ name: 'RunWorkflow:payout', spanId: traceOf(workflowId).spanId });
    expect(saidBy(root)).toMatchObject({ 'payout.reference': reference, 'payout.state': 'completed' });

    const activities = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
    expect(activities.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'RunActivity:prepare',
        'RunActivity:submitPayment',
        'RunActivity:awaitOrderEnd',
        'TellEnd',
      ]),
    );
    const reported = activities.find(({ name }) => name === 'TellEnd');
    const read = spans.filter(({ parentSpanId }) => parentSpanId === reported?.spanId);
    expect(read.map(({ name }) => name)).toEqual(['GET /v1/banking/transactions/{order_id}']);
    const submit = activities.find(({ name }) => name === 'RunActivity:submitPayment');
    const calls = spans.filter(({ parentSpanId }) => parentSpanId === submit?.spanId);
    const post = calls.find(({ name }) => name === 'POST /v1/banking/transactions/payment') as ReceivedSpan;
    expect(saidBy(post)).toEqual({
      'http.request.method': 'POST',
      'url.template': '/v1/banking/transactions/payment',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': expect.any(Number),
      'bank.result': 'ok',
    });
    expect(BigInt(root.startTimeUnixNano)).toBeLessThanOrEqual(BigInt(post.startTimeUnixNano));
    expect(BigInt(root.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(post.endTimeUnixNano));
    const parents = new Set(spans.map(({ spanId }) => spanId));
    expect(spans.filter(({ parentSpanId }) => parentSpanId && !parents.has(parentSpanId))).toEqual([]);
  }
  expect(receiver.text()).not.toMatch(/u-1001|acc-[^0-9a-f]|ben-|kanarienvogel|TRACED|USD/);
});

it('from the request over HTTP to the answer of the bank is one trace, that of whoever sends it', async () => {
  const receiver = await receiveTraces();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const home = openCommandHome({ ...QUICK, PAYOUTS_TRACES_URL: receiver.url, PAYOUTS_LOG_LEVEL: 'info' });
  onTestFinished(() => home.close());
  const dev = home.start('dev');
  await dev.says(/Up until Ctrl-C/);
  const [traceId, sender] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const answer = await fetch(`${home.stack()?.gatewayUrl}/v1/payouts`, {
    method: 'POST',
    body: JSON.stringify(payable({ id: 'TRACED-3' })),
    headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-${sender}-01` },
  });
  expect(answer.status).toBe(202);
  const spanNamed = (name: string) =>
    receiver.spans().find((span) => span.traceId === traceId && span.name === name) as ReceivedSpan;
  const POST = 'POST /v1/banking/transactions/payment';
  const path = ['POST /v1/payouts', 'RunWorkflow:payout', 'RunActivity:submitPayment', POST];
  await until(async () => path.every((name) => spanNamed(name) !== undefined));
  expect(path.map((name) => spanNamed(name).parentSpanId)).toEqual([
    sender,
    ...path.slice(0, -1).map((name) => spanNamed(name).spanId),
  ]);
  expect(saidBy(spanNamed(POST))).toMatchObject({ 'http.response.status_code': 200, 'bank.result': 'ok' });
  const { spanId } = spanNamed('RunActivity:submitPayment');
  await dev.says(new RegExp(`"trace_id":"${traceId}","span_id":"${spanId}"`));
});
