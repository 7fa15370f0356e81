import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { TestProject } from 'vitest/node';
import { findTemporalCli } from '../../scripts/temporal-cli.mjs';
import { SEARCH_ATTRIBUTES } from '../../src/domain/names.ts';
import { workflowBundle } from '../../src/temporal/bundle.ts';

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
  const { codePath } = await workflowBundle();
  project.provide('temporalAddress', environment.address);
  project.provide('workflowBundlePath', codePath);
  project.provide('temporalCli', path);
  return () => environment.teardown();
}
