import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILE_CACHE } from './test/support/compile-cache.ts';

/** Workflows in the process of a test, on a real Temporal server that is started once for all of them. */
const workflows = ['test/workflows/**/*.test.ts'];
/** The real command and its stacks, Temporal servers and a browser, as processes of their own. */
const processes = [
  'test/e2e/**/*.test.ts',
  'test/chaos/**/*.test.ts',
  'test/embedded/{open-stack,embedded-server}.test.ts',
  'test/temporal/{bundle,namespace-claim,search-attributes}.test.ts',
  'test/gateway/pages/browser.test.ts',
  'test/reports/print.test.ts',
];
/** Seeds and planted bugs, each in a process of its own: the longest file that needs no server. */
const simulated = ['test/simulation/**/*.test.ts'];

/**
 * Limits only end what hangs: no machine is so busy that a test which works comes near one. What a test says of speed it
 * says in counts.
 */
const HANGS_MS = 180_000;
const limits = { testTimeout: HANGS_MS, hookTimeout: HANGS_MS, expect: { poll: { timeout: HANGS_MS / 2 } } };

/** Node runs our sources as they are, and so it does here: Vite would transform each of them first. No test mocks a module. */
const asTheyAre = { experimental: { viteModuleRunner: false, nodeLoader: false } };
const common = { ...limits, ...asTheyAre };

// Of the workers too, and of what they start: half of what it costs to load our sources is Node compiling them once more.
Object.assign(process.env, COMPILE_CACHE, process.env);

/** They wait for limits that nothing shortens, 45 s and more: begun late, they would be what everything else waits for. */
const WAITING = ['e2e/cluster', 'e2e/survival', 'workflows/payout', 'workflows/lost-answers', 'e2e/one-world'];

class WaitingFirst extends BaseSequencer {
  /** Within each project; files of one project in a row share their modules. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isWaiting = ({ moduleId }: TestSpecification): boolean =>
      WAITING.some((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...byProject.values()].flatMap((own) => [...own.filter(isWaiting), ...own.filter((it) => !isWaiting(it))]);
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    sequence: { sequencer: WaitingFirst },
    // Most of a test on Temporal is waiting: three files at a time keep two cores at work and none of them late.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...workflows, ...processes, ...simulated],
          // Files of one worker share their modules, which costs half of the CPU time: a test puts back what it changes of
          // the process, and `--sequence.shuffle` finds one that does not.
          isolate: false,
          ...common,
        },
      },
      { test: { name: 'simulation', include: simulated, ...common } },
      {
        test: {
          name: 'workflows',
          include: workflows,
          globalSetup: ['test/support/temporal-server.ts'],
          // Workflows run in the test's own thread: one of their own would load the SDK and the bundle once more for each test.
          env: { TEMPORAL_DEBUG: 'true' },
          // A process loads the SDK and all of ours once, which is more than most of these tests cost.
          isolate: false,
          ...common,
          testTimeout: 300_000,
          maxConcurrency: 6,
        },
      },
      {
        test: {
          name: 'e2e',
          include: processes,
          globalSetup: ['test/support/temporal-server.ts'],
          isolate: false,
          ...common,
          testTimeout: 300_000,
          // Each may have a stack of its own: more of them at a time would only make each other late.
          maxConcurrency: 2,
        },
      },
    ],
  },
});
