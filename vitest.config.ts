import { defineConfig } from 'vitest/config';

/** Tests that talk to a real Temporal server; the server is started once for all of them. */
const onTemporal = ['test/workflows/**/*.test.ts', 'test/e2e/**/*.test.ts', 'test/chaos/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: onTemporal,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'temporal',
          include: onTemporal,
          globalSetup: ['test/support/temporal-server.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxConcurrency: 6,
        },
      },
    ],
  },
});
