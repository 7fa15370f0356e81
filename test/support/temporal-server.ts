import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findTemporalCli } from '../../scripts/temporal-cli.mjs';
import { SEARCH_ATTRIBUTES } from '../../src/domain/names.ts';
import { workflowBundle } from '../../src/platform/temporal/bundle.ts';
import { type DevServer, startDevServer } from './dev-server.ts';
import { TEST_SETTINGS } from './temporal-settings.ts';
import { TEST_CLUSTER } from './test-cluster.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    temporalAddress: string;
    workflowBundlePath: string;
    temporalCli: string;
  }
}

/** One real Temporal server, of the cluster or a dev server, and one workflow bundle for every test that needs them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { path, tried } = findTemporalCli(process.env);
  if (path === undefined) throw new Error(`no Temporal CLI: run "npm run setup" (${tried.join('; ')})`);
  const server =
    TEST_CLUSTER === undefined
      ? await devServer(path)
      : { address: TEST_CLUSTER.temporalAddress, stop: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'payouts-bundle-'));
  const codePath = join(folder, 'workflows.js');
  const built = await workflowBundle();
  await writeFile(codePath, withoutSourceMap(await readFile(built.codePath, 'utf8')));
  project.provide('temporalAddress', server.address);
  // What ran of the workflows is reported by the lines that the map names.
  project.provide('workflowBundlePath', process.env.NODE_V8_COVERAGE === undefined ? codePath : built.codePath);
  project.provide('temporalCli', path);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
}

const devServer = (path: string): Promise<DevServer> =>
  startDevServer(path, [
    ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ...TEST_SETTINGS.flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
  ]);

/** Each worker reads the map anew, and reads it for every promise of a workflow: half of what a payout costs here. */
function withoutSourceMap(bundle: string): string {
  const comment = '//# sourceMappingURL=data:';
  const at = bundle.lastIndexOf(comment);
  if (at < 0) throw new Error('the workflow bundle ends without a source map');
  const empty = JSON.stringify({ version: 3, sources: [], names: [], mappings: '' });
  return `${bundle.slice(0, at)}${comment}application/json;base64,${Buffer.from(empty).toString('base64')}`;
}
