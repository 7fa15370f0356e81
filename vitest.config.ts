import { hash } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILE_CACHE } from './test/support/compile-cache.ts';

const named = (...names: readonly string[]): string[] => names.map((name) => `test/${name}.test.ts`);

/** Of the stacks the one that nobody does without: the first command of the README, and what a newcomer tries next. */
const firstSteps = 'test/e2e/demo.test.ts';
/** Hazards of cards, orders of events, many at a time: what else can happen to a workflow. */
const workflowsThorough = named(
  ...['workflows/altered-references', 'workflows/another-card', 'workflows/asked-again', 'workflows/at-once'],
  ...[
    'workflows/behind-a-large-batch',
    'workflows/card-first-seconds',
    'workflows/card-hazards',
    'workflows/collect-to-pay',
  ],
  ...['workflows/failure-table', 'workflows/lanes', 'workflows/lost-answers', 'workflows/odd-order-ids'],
  ...['workflows/one-world', 'workflows/priorities', 'workflows/resend', 'workflows/signed-own-moves'],
  ...['workflows/window'],
);
/**
 * Workflows in the process of a test, on a real Temporal server that is started once for all of them: every route of a payout, and
 * the first steps.
 */
const workflows = ['test/workflows/**/*.test.ts', 'test/platform/embedded/temporal-http-api.test.ts', firstSteps];
/** What depends on the version of the Temporal CLI besides workflows: its server as we start and replace it, its Web UI. */
const embedded = named(
  ...['e2e/foreign-pages', 'e2e/temporal-ui'],
  ...['platform/embedded/embedded-server', 'platform/embedded/keep-server', 'platform/embedded/ui-files'],
);
/**
 * The real command and its stacks, Temporal servers, a browser, copies of stores and a program of the docs, as processes of their
 * own.
 */
const processes = [
  'test/e2e/**/*.test.ts',
  'test/drills/chaos/**/*.test.ts',
  'test/drills/upgrade/**/*.test.ts',
  'test/platform/embedded/open-stack.test.ts',
  'test/platform/temporal/{bundle,namespace-claim,search-attributes}.test.ts',
  'test/channels/pages/browser.test.ts',
  'test/reports/print.test.ts',
  'test/docs/package.test.ts',
  'test/files/intake/size.test.ts',
  'test/store/{backup,restore}.test.ts',
];
/** Hostile input, orders of events, whole files of people, and matrices of what a bank may answer. */
const thorough = named(
  ...[
    'bank/busy-list',
    'cli/printed-commands',
    'domain/card-number',
    'reports/events/deliver',
    'platform/scripts/sbom',
  ],
  ...['files/hostile', 'files/limits', 'files/pain001/read-pain001'],
  ...['people/decisions/first-wins', 'people/decisions/forged'],
  ...['activities/sending/interleavings', 'activities/sending/lost-answers'],
  ...['channels/http/intake-routes', 'channels/http/webhook-flood', 'channels/pages/next-steps'],
  ...['reports/pain002/write-pain002'],
);
/** Our servers over HTTP, drop folders, single processes, recorded histories and a sample of the simulation. */
const integration = [
  'test/channels/{http,mcp,pages}/**/*.test.ts',
  ...named(
    ...['store/audit/independent', 'cli/closed-output', 'cli/end-soon', 'cli/interrupt', 'cli/start-up'],
    ...['cli/commands/card', 'cli/commands/card-create', 'cli/commands/mcp', 'cli/commands/template'],
    ...['platform/codec/codec-server'],
    ...[
      'platform/audit/audit-log',
      'reports/events/killed',
      'reports/events/sender',
      'channels/folder/drop-folder',
      'docs/ops/deployments',
    ],
    ...['replay/replay', 'platform/scripts/cluster/server-process', 'platform/scripts/launcher'],
    ...['files/intake/take-file', 'people/decisions/own-moves', 'people/decisions/plan', 'simulation/sample'],
    ...['store/open', 'store/open-connections', 'platform/temporal/replay'],
  ),
];
/** Seeds and planted bugs, each in a process of its own: the longest file that needs no server. */
const simulated = named('simulation/simulation');

/**
 * Limits only end what hangs: no machine is so busy that a test which works comes near one. What a test says of speed it
 * says in counts.
 */
const HANGS_MS = 600_000;
const limits = { testTimeout: HANGS_MS, hookTimeout: HANGS_MS, expect: { poll: { timeout: HANGS_MS / 2 } } };

/** Node runs our sources as they are, and so it does here: Vite would transform each of them first. No test mocks a module. */
const asTheyAre = { experimental: { viteModuleRunner: false, nodeLoader: false } };
const { CPU_TIMES, NODE_V8_COVERAGE } = process.env;
const setupFiles = [
  ...(CPU_TIMES === undefined ? [] : ['test/support/cpu-times.ts']),
  ...(NODE_V8_COVERAGE === undefined ? [] : ['test/support/coverage.ts']),
];
const common = { ...limits, ...asTheyAre, setupFiles };

// Of the workers too, and of what they start: half of what it costs to load our sources is Node compiling them once more.
Object.assign(process.env, COMPILE_CACHE, process.env);

/**
 * Projects in their order, and of each the files that last longest: begun late, one of them would be what everything else waits
 * for. First what waits for limits that nothing shortens, beside what is at work all the time; last what is short, so that
 * all workers are done at the same time.
 */
const LONGEST_FIRST: Readonly<Record<string, readonly string[]>> = {
  simulation: [],
  e2e: [
    ...['survival', 'cluster', 'one-world', 'operator', 'gateway', 'batches', 'outside-bank', 'two-builds'],
    ...['rogue', 'batch-control', 'checkout', 'e2e/pages', 'chaos', 'card-leaks', 'own-moves'],
  ],
  embedded: ['keep-server', 'temporal-ui'],
  'workflows-thorough': [
    ...['card-hazards', 'another-card', 'lost-answers', 'failure-table', 'collect-to-pay', 'signed-own-moves'],
    ...['at-once', 'behind-a-large-batch', 'one-world'],
  ],
  workflows: ['payout', 'own-moves', 'hazards', 'batch-control', 'switches', 'folder-sweep', 'demo', 'reconciliation'],
  thorough: ['files/hostile', 'sending/lost-answers', 'intake-routes', 'reports/events/deliver'],
  integration: ['simulation/sample', 'replay/replay', 'channels/http/server', 'channels/http/policy'],
  unit: [],
};
const PROJECTS = Object.keys(LONGEST_FIRST);

class LongestFirst extends BaseSequencer {
  /** Project by project: files of one in a row share their modules. `--sequence.shuffle` draws the order within each. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence;
    const drawn = (moduleId: string): number => hash('md5', `${seed} ${moduleId}`, 'buffer').readUInt32BE();
    const recorded = (moduleId: string, names: readonly string[]): number => {
      const rank = names.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return rank < 0 ? names.length : rank;
    };
    const placeOf = ({ moduleId, project: { name } }: TestSpecification): [project: number, rank: number] => [
      PROJECTS.indexOf(name),
      shuffle ? drawn(moduleId) : recorded(moduleId, LONGEST_FIRST[name] ?? []),
    ];
    const places = new Map(files.map((file) => [file, placeOf(file)]));
    return (await super.sort(files)).sort((a, b) => {
      const [[projectA, rankA], [projectB, rankB]] = [places.get(a) ?? [0, 0], places.get(b) ?? [0, 0]];
      return projectA - projectB || rankA - rankB;
    });
  }
}

/**
 * Files of one worker share their modules, which costs half of the CPU time: a test puts back what it changes of the process,
 * and `--sequence.shuffle` finds one that does not.
 */
const shared = { isolate: false, ...common };

/** Always at work: a further process would only load all modules once more. Begun when those that wait are done. */
const atWork = { maxWorkers: 3, sequence: { groupOrder: 1 } };

const onTemporal = {
  globalSetup: ['test/support/temporal-server.ts'],
  // Workflows run in the test's own thread: one of their own would load the SDK and the bundle once more for each test.
  env: { TEMPORAL_DEBUG: 'true' },
  // A process loads the SDK and all of ours once, which is more than most of these tests cost.
  ...shared,
  maxConcurrency: 6,
};

const stacks = {
  globalSetup: ['test/support/temporal-server.ts'],
  ...shared,
  // Each may have a stack of its own: more of them at a time would only make each other late.
  maxConcurrency: 2,
};

export default defineConfig({
  test: {
    pool: 'forks',
    // A line for each file, whatever time its tests take; what a test prints, where it fails.
    slowTestThreshold: Number.POSITIVE_INFINITY,
    silent: 'passed-only',
    sequence: { sequencer: LongestFirst },
    // Most of a test on Temporal is waiting: four files at a time keep two cores at work and no stack of them late.
    maxWorkers: 4,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...workflows, ...processes, ...embedded, ...simulated, ...thorough, ...integration],
          ...shared,
          ...atWork,
        },
      },
      {
        test: {
          name: 'integration',
          include: integration,
          exclude: [...processes, ...thorough],
          ...shared,
          ...atWork,
        },
      },
      { test: { name: 'thorough', include: thorough, ...shared, ...atWork } },
      { test: { name: 'simulation', include: simulated, ...common } },
      { test: { name: 'workflows', include: workflows, exclude: workflowsThorough, ...onTemporal } },
      { test: { name: 'workflows-thorough', include: workflowsThorough, ...onTemporal } },
      { test: { name: 'e2e', include: processes, exclude: [...embedded, firstSteps], ...stacks } },
      { test: { name: 'embedded', include: embedded, ...stacks } },
    ],
  },
});
