import { expect, it } from 'vitest';
import { processLog } from '../../src/cli/processes.ts';
import { loadConfig } from '../../src/platform/config.ts';

it('and with what it shows to everybody who reaches the machine', () => {
  const lines: string[] = [];
  const env = { PAYOUTS_METRICS_ADDRESS: '0.0.0.0:9464', PAYOUTS_TEMPORAL_METRICS_ADDRESS: '9465' };
  processLog(loadConfig(env), 'info', { write: (line) => lines.push(line) });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, msg: expect.stringMatching(/^PAYOUTS_METRICS_ADDRESS serves metrics to everybody/) },
  ]);
});

it('a worker or a gateway begins its log with the settings that have no effect', () => {
  const lines: string[] = [];
  processLog(loadConfig({ PAYOUTS_WINDOWS: '5' }), 'info', { write: (line) => lines.push(line) });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, msg: 'PAYOUTS_WINDOWS is no setting and has no effect. Did you mean PAYOUTS_WINDOW?' },
  ]);
});
