import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/platform/telemetry/metrics.ts';

const OPS = join(import.meta.dirname, '../../../ops');
const alarms = readFileSync(join(OPS, 'alarms.yml'), 'utf8');
const fired = readFileSync(join(OPS, 'alarms.test.yml'), 'utf8');
const dashboard: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(
  readFileSync(join(OPS, 'dashboard.json'), 'utf8'),
);

const namesIn = (pattern: RegExp, text: string): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
const ALARMS = namesIn(/- alert: (\w+)/g, alarms);
/** Names of series without what Prometheus adds to those of a histogram. */
const metricsIn = (text: string): Set<string> =>
  new Set(
    namesIn(/\b((?:payouts|temporal|process)_\w+)/g, text).map((name) => name.replace(/_(bucket|count|sum)$/, '')),
  );

/** Of the Temporal SDK, as its core names them; test/e2e/probes.test.ts sees that a worker shows them. */
const OF_TEMPORAL = new Set([
  'temporal_worker_task_slots_available',
  'temporal_workflow_task_execution_failed_total',
  'temporal_workflow_task_schedule_to_start_latency_seconds',
]);

const PROMTOOL = process.env.PAYOUTS_TEST_PROMTOOL ?? 'promtool';
const hasPromtool = spawnSync(PROMTOOL, ['--version']).error === undefined;
if (!hasPromtool) {
  console.warn('alarms are NOT fired: there is no promtool here; install Prometheus, or set PAYOUTS_TEST_PROMTOOL');
}

it.runIf(hasPromtool)('metrics have names and kinds that Prometheus expects', async () => {
  const input = await createMetrics({ ofProcess: true }).registry.metrics();
  const { status, stdout, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], { input, encoding: 'utf8' });
  expect([status, stdout + stderr]).toEqual([0, '']);
});

describe('the alarms', () => {
  it.runIf(hasPromtool)('fire, each when it should and not before', () => {
    const { status, stdout, stderr } = spawnSync(PROMTOOL, ['test', 'rules', 'alarms.test.yml'], {
      cwd: OPS,
      encoding: 'utf8',
    });
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it('are each fired by a test of theirs', () => {
    expect(ALARMS.length).toBeGreaterThanOrEqual(12);
    expect(new Set(namesIn(/^ {2}- name: (\w+)/gm, fired))).toEqual(new Set(ALARMS));
    expect(new Set(namesIn(/alertname: (\w+)\n +exp_alerts:\n/g, fired))).toEqual(new Set(ALARMS));
  });

  it('and the dashboard ask only for what a process shows', async () => {
    const shown = createMetrics({ ofProcess: true }).registry.getMetricsAsArray();
    const known = new Set([...shown.map(({ name }) => name), ...OF_TEMPORAL]);
    const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');
    const rules = namesIn(/expr: ([\s\S]*?)\n +(?:for|labels):/g, alarms).join('\n');
    expect([...metricsIn(rules), ...metricsIn(expressions)].filter((name) => !known.has(name))).toEqual([]);
    expect(metricsIn(rules).size).toBeGreaterThan(12);
  });
});
