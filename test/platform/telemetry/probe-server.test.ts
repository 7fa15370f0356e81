import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { Notice } from '../../../src/platform/open-bank.ts';
import { createMetrics } from '../../../src/platform/telemetry/metrics.ts';
import { readinessOf, startProbeServer } from '../../../src/platform/telemetry/readiness.ts';

async function probes({ port = 0 } = {}) {
  const state = { isTaking: true, isBankUp: true, now: 0, refreshed: 0, notices: [] as Notice[] };
  const log = pino({ level: 'silent' });
  const parts = {
    store: async () => undefined,
    bank: () => (state.isBankUp ? Promise.resolve() : Promise.reject(new Error('down'))),
  };
  const server = await startProbeServer(
    { host: '127.0.0.1', port },
    {
      metrics: createMetrics({ ofProcess: true }),
      isTaking: () => state.isTaking,
      readiness: readinessOf(parts, { log, now: () => state.now }),
      notices: async () => [{ text: 'the bank is slow' }, ...state.notices],
      refresh: async () => {
        state.refreshed += 1;
      },
    },
  );
  onTestFinished(() => server.close());
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
  };
  return { state, get, port: server.port };
}

it('says that the process is alive, in any state of its parts', async () => {
  const { state, get } = await probes();
  state.isBankUp = false;
  expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}\n' });
});

it('is ready while every part is up, and names the one that is not', async () => {
  const { state, get } = await probes();
  const parts = { store: 'up', bank: 'up' };
  const up = await get('/readyz');
  const warnings = ['the bank is slow'];
  expect([up.status, JSON.parse(up.text)]).toEqual([200, { schemaVersion: 1, ready: true, parts, warnings }]);
  state.isBankUp = false;
  // An answer is reused for a moment.
  expect((await get('/readyz')).status).toBe(200);
  state.now += 2_100;
  const down = await get('/readyz');
  expect([down.status, JSON.parse(down.text).parts]).toEqual([503, { ...parts, bank: 'down' }]);
});

it('says of a part that answers nobody that it is down, and stays ready', async () => {
  const { state, get } = await probes();
  state.notices = [{ part: 'bank', text: 'it does not answer' }];
  const { status, text } = await get('/readyz');
  expect([status, JSON.parse(text)]).toMatchObject([200, { ready: true, parts: { store: 'up', bank: 'down' } }]);
  const shown = await get('/metrics');
  expect(shown.text).toContain('payouts_ready{part="bank"} 0');
  expect(shown.text).toContain('payouts_ready{part="workers"} 1');
});

it('is not ready once it has been asked to end, and says so at once', async () => {
  const { state, get } = await probes();
  expect((await get('/readyz')).status).toBe(200);
  state.isTaking = false;
  const { status, text } = await get('/readyz');
  expect([status, JSON.parse(text)]).toEqual([503, { schemaVersion: 1, ready: false, draining: true }]);
  expect((await get('/healthz')).status).toBe(200);
});

it('shows its metrics as Prometheus reads them, brought up to date before', async () => {
  const { state, get } = await probes();
  state.isBankUp = false;
  const { status, text, type } = await get('/metrics');
  expect([status, type, state.refreshed]).toEqual([200, expect.stringContaining('text/plain'), 1]);
  expect(text).toContain('payouts_ready{part="store"} 1\npayouts_ready{part="bank"} 0');
  expect(text).toContain('process_resident_memory_bytes');
  expect(text).toMatch(/^payouts_build_info\{version="[\d.]+[^"]*",sdk="[\d.]+"\} 1$/m);
  expect(text).not.toMatch(/^# TYPE \w+_total gauge$/m);
});

it.each([
  ['GET', '/'],
  ['GET', '/v1/batches'],
  ['POST', '/metrics'],
])('%s %s is not there', async (method, path) => {
  const { get } = await probes();
  expect((await get(path, method)).status).toBe(404);
});

it('says of a port that is taken where it was set', async () => {
  const { port } = await probes();
  await expect(probes({ port })).rejects.toMatchObject({
    code: 'metrics-address',
    message: `Metrics cannot be served at 127.0.0.1:${port}.`,
    hint: expect.stringContaining('PAYOUTS_METRICS_ADDRESS'),
  });
});
