import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { TestProject } from 'vitest/node';
import { findTemporalCli } from '../../scripts/temporal-cli.mjs';
import { SEARCH_ATTRIBUTES } from '../../src/domain/names.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    temporalAddress: string;
    workflowBundlePath: string;
    temporalCli: string;
  }
}

/** One real Temporal dev server and one workflow bundle for every test that needs them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { path, tried } = findTemporalCli(process.env);
  if (path === undefined) throw new Error(`no Temporal CLI: run "npm run setup" (${tried.join('; ')})`);
  const environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs: Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    },
  });
  const dir = await mkdtemp(join(tmpdir(), 'payouts-bundle-'));
  const workflowsPath = fileURLToPath(new URL('../../src/workflows/index.ts', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: quietLogger });
  const bundlePath = join(dir, 'workflows.js');
  await writeFile(bundlePath, code);
  project.provide('temporalAddress', environment.address);
  project.provide('workflowBundlePath', bundlePath);
  project.provide('temporalCli', path);
  return async () => {
    await environment.teardown();
    await rm(dir, { recursive: true, force: true });
  };
}

const silent = (): void => {};
const quietLogger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
