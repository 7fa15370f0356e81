/** Test files that do not apply to a cluster, and why. */
export const OFF_CLUSTER: Readonly<Record<string, string>> = {
  'test/e2e/backup.test.ts':
    'copies an SQLite store; PostgreSQL has its own tools (npm run drill:survival restores one)',
  'test/e2e/canaries.test.ts': 'searches the files of an embedded stack, whose one process has all metrics',
  'test/e2e/card-leaks.test.ts': 'searches the files of an embedded stack',
  'test/e2e/demo.test.ts': 'tests the stack that `npm start` starts',
  'test/e2e/foreign-pages.test.ts': 'tests the ports of an embedded stack',
  'test/e2e/survival.test.ts': 'kills embedded stacks; for the cluster there are chaos and npm run drill:survival',
  'test/e2e/temporal-ui.test.ts': 'tests the Web UI of an embedded stack',
};
