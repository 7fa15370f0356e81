import { defineConfig } from 'vitest/config';

/** Tests that talk to a real Temporal server; the server is started once for all of them. */
const onTemporal = ['test/workflows/**/*.test.ts', 'test/e2e/**/*.test.ts', 'test/chaos/**/*.test.ts'];
/** Seeds and planted bugs, each in a process of its own: the longest file that needs no server. */
const simulated = ['test/simulation/**/*.test.ts'];

/**
 * Limits only end what hangs: no machine is so busy that a test which works comes near one. What a test says of speed it
 * says in counts.
 */
const HANGS_MS = 180_000;
const limits = { testTimeout: HANGS_MS, hookTimeout: HANGS_MS, expect: { poll: { timeout: HANGS_MS / 2 } } };

export default defineConfig({
  test: {
    pool: 'forks',
    // Most of a test on Temporal is waiting: three files at a time keep two cores at work and none of them late.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...onTemporal, ...simulated],
          // Files of one worker share their modules, which costs half of the CPU time: a test puts back what it changes of
          // the process, and `--sequence.shuffle` finds one that does not.
          isolate: false,
          ...limits,
        },
      },
      { test: { name: 'simulation', include: simulated, ...limits } },
      {
        test: {
          name: 'temporal',
          include: onTemporal,
          globalSetup: ['test/support/temporal-server.ts'],
          ...limits,
          testTimeout: 300_000,
          maxConcurrency: 6,
        },
      },
    ],
  },
});
