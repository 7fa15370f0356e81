/** Files of the suites that say nothing of a cluster, and why: what they are about is not there. */
export const OFF_CLUSTER: Readonly<Record<string, string>> = {
  'test/e2e/backup.test.ts':
    'copies an SQLite store; PostgreSQL has tools of its own (npm run drill:survival restores one)',
  'test/e2e/demo.test.ts': 'is about the stack that `npm start` boots',
  'test/e2e/foreign-pages.test.ts': 'is about the ports of an embedded stack',
  'test/e2e/survival.test.ts': 'ends embedded stacks; the cluster has chaos and npm run drill:survival',
  'test/e2e/temporal-ui.test.ts': 'is about the Web UI of an embedded stack',
};
