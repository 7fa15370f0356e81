import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporalUi } from '../../src/platform/app.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { workflowUrl } from '../../src/reports/links.ts';
import { newFolder } from '../support/new-folder.ts';

it('links of a home that has gone from an embedded Temporal to a cluster do not point to the UI that it had', () => {
  const home = newFolder();
  writeFileSync(join(home, 'ports.json'), JSON.stringify({ temporal: 1, ui: 40_807, api: 3, gateway: 4 }));
  const urlIn = (env: Record<string, string>): string =>
    temporalUi(loadConfig({ PAYOUTS_HOME: home, ...env }), { namespace: 'default' }).url;
  expect(urlIn({})).toBe('http://127.0.0.1:40807');
  const cluster = { TEMPORAL_ADDRESS: '127.0.0.1:7233', PAYOUTS_ONE_MACHINE: 'true' };
  expect(urlIn(cluster)).toBe('http://127.0.0.1:8233');
  expect(urlIn({ ...cluster, PAYOUTS_UI_URL: 'https://temporal.example/' })).toBe('https://temporal.example');
});

it('a link encodes the slashes of a workflow id', () => {
  expect(workflowUrl({ url: 'http://127.0.0.1:8233', namespace: 'default' }, 'payout/a-1')).toBe(
    'http://127.0.0.1:8233/namespaces/default/workflows/payout%2Fa-1',
  );
});
