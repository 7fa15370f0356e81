import { randomUUID } from 'node:crypto';
import { afterAll, expect, inject, it } from 'vitest';
import { TemporalHttpApi } from '../../../src/platform/embedded/web-ui.ts';

const api = new TemporalHttpApi(inject('temporalAddress'));
afterAll(() => api.close());

const NAMESPACE = '/api/v1/namespaces/default';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const PAYLOADS = [{ metadata: { encoding: base64('json/plain') }, data: base64('{"amount":"12.50"}') }];

async function ask(method: string, path: string, body?: object | string) {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  const { status, json } = await api.answer({
    method,
    target: path,
    body: body === undefined ? '' : text,
    signal: AbortSignal.timeout(60_000),
  });
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many messages, compared as it is
  return { status, json: json as any };
}

/** Starts a workflow that nobody works on, with a slash and a percent sign in its id. */
async function started(): Promise<{ workflowId: string; path: string }> {
  const workflowId = `payout/50%/${randomUUID()}`;
  const path = `${NAMESPACE}/workflows/${encodeURIComponent(workflowId)}`;
  const start = { workflowType: { name: 'payout' }, taskQueue: { name: 'nobody' }, requestId: randomUUID() };
  const { status } = await ask('POST', path, { ...start, input: { payloads: PAYLOADS }, workflowRunTimeout: '3600s' });
  expect(status).toBe(200);
  return { workflowId, path };
}

it('describes a workflow whose id has a slash, with enums, times and durations as protobuf writes them', async () => {
  const { workflowId, path } = await started();
  const { status, json } = await ask('GET', `${path}?execution.runId=`);
  expect(status).toBe(200);
  expect(json.workflowExecutionInfo).toMatchObject({
    execution: { workflowId },
    status: 'WORKFLOW_EXECUTION_STATUS_RUNNING',
    startTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    historyLength: '2',
  });
  expect(json.executionConfig).toMatchObject({ workflowRunTimeout: '3600s' });
});

it('reads a history by pages, with payloads as they came', async () => {
  const { path } = await started();
  await ask('POST', `${path}/signal/approve`, { input: { payloads: PAYLOADS } });
  const first = await ask('GET', `${path}/history?maximumPageSize=1`);
  const [start] = first.json.history.events;
  expect(start.workflowExecutionStartedEventAttributes.input.payloads).toEqual(PAYLOADS);
  const token = encodeURIComponent(first.json.nextPageToken);
  const next = await ask('GET', `${path}/history?maximumPageSize=9&nextPageToken=${token}`);
  expect(next.json.history.events).toMatchObject([{ eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED' }]);
});

it('takes flags and enums of a query, by name and by number', async () => {
  const { path } = await started();
  await ask('POST', `${path}/terminate`, { reason: 'a test' });
  for (const filter of ['2', 'HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT']) {
    const { json } = await ask('GET', `${path}/history?waitNewEvent=true&historyEventFilterType=${filter}`);
    expect(json.history.events).toMatchObject([{ eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED' }]);
  }
});

it.each([
  ['the namespaces', '/api/v1/namespaces', 'namespaces'],
  ['the cluster', '/api/v1/cluster-info', 'serverVersion'],
  ['search attributes', `${NAMESPACE}/search-attributes`, 'customAttributes'],
])('reads %s', async (_what, path, member) => {
  const { status, json } = await ask('GET', path);
  expect(status).toBe(200);
  expect(json).toHaveProperty(member);
});

it.each([
  ['a call that there is not', 'GET', '/api/v1/none', undefined, 404],
  ['another verb', 'DELETE', `${NAMESPACE}/workflows`, undefined, 404],
  ['a namespace that there is not', 'GET', '/api/v1/namespaces/none/workflows', undefined, 404],
  ['a workflow that there is not', 'POST', `${NAMESPACE}/workflows/none/terminate`, {}, 404],
  ['a malformed path', 'GET', '/api/v1/namespaces/%', undefined, 400],
  ['a body that is no JSON', 'POST', `${NAMESPACE}/workflows/none/terminate`, '{', 400],
  ['a body that is no object', 'POST', `${NAMESPACE}/workflows/none/terminate`, '[]', 400],
  ['a value of another type', 'POST', `${NAMESPACE}/workflows/none/terminate`, { reason: 1 }, 400],
  [
    'members of every object',
    'GET',
    `${NAMESPACE}/workflows?__proto__.x=1&constructor=1&query.__proto__=1`,
    undefined,
    200,
  ],
])('answers %s as it should', async (_what, method, path, body, status) => {
  const answer = await ask(method, path, body);
  expect(answer.status).toBe(status);
  if (status !== 200) expect(answer.json).toEqual({ code: expect.any(Number), message: expect.any(String) });
});

it('ends a long poll with its page', async () => {
  const { path } = await started();
  const page = new AbortController();
  const target = `${path}/history?waitNewEvent=true&historyEventFilterType=2`;
  const poll = api.answer({ method: 'GET', target, body: '', signal: page.signal });
  page.abort();
  expect(await poll).toMatchObject({ status: 499 });
});
