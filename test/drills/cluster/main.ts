import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layGround } from '../../../scripts/cluster/cluster.ts';
import { ServerProcess } from '../../../scripts/cluster/server-process.ts';
import { temporalAddress, temporalNamespace } from '../../../scripts/cluster/temporal.ts';
import { createDatabase, migrated, TEMPLATE } from '../../support/databases.ts';
import { TEST_SETTINGS } from '../../support/temporal-settings.ts';
import { OFF_CLUSTER } from './off-cluster.ts';

/**
 * `npm run test:cluster [-- FILE...]`: the suites of store, workflows, commands and chaos on a cluster of their own, which is
 * made for the run and removed after it. Exit code of vitest.
 */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const say = (line: string): void => void process.stderr.write(`cluster: ${line}\n`);

const filesOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name));

function suites(): string[] {
  const asked = process.argv.slice(2);
  if (asked.length > 0) return asked;
  for (const [file, why] of Object.entries(OFF_CLUSTER)) say(`skipped ${file}: ${why}`);
  const all = ['test/store', 'test/workflows', 'test/e2e', 'test/drills/chaos', 'test/platform/temporal'].flatMap(
    filesOf,
  );
  return all.filter((file) => !(file in OFF_CLUSTER));
}

const dir = mkdtempSync(join(tmpdir(), 'payouts-cluster-'));
// PostgreSQL does not run as root: where we do, another user has to get through.
chmodSync(dir, 0o711);
const dynamicConfig = join(dir, 'dynamic-config.yaml');
// Schedules are run by the server's own worker of a namespace, which a test of one dev server for all leaves out.
const settings = TEST_SETTINGS.filter(([key]) => key !== 'worker.perNamespaceWorkerCount');
writeFileSync(dynamicConfig, settings.map(([key, value]) => `${key}:\n  - value: ${value}\n`).join(''));
const ground = await layGround({
  home: join(dir, 'home'),
  env: process.env,
  // Every test has a database, and every store of it a pool.
  postgresSettings: ['max_connections=500', 'fsync=off'],
  dynamicConfig,
  say,
});
const parts = [
  ...ground.parts.filter(({ name }) => name !== 'temporal-ui'),
  // Of commands that name a Temporal and nothing more, as a dev server has it.
  temporalNamespace(ground, 'default'),
];
let code = 1;
try {
  for (const part of parts) {
    await part.start();
    say(`${part.name} is up`);
  }
  const { home } = ground;
  const postgresUrl = `postgres://postgres:${home.secrets.read('postgres-password')}@127.0.0.1:${home.ports.postgres}/postgres`;
  await migrated(postgresUrl, await createDatabase(postgresUrl, TEMPLATE));
  const vitest = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...suites()], {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${ground.postgresPrograms}:${process.env.PATH}`,
      PAYOUTS_TEST_CLUSTER: '1',
      PAYOUTS_TEST_TEMPORAL_ADDRESS: temporalAddress(home),
      PAYOUTS_TEST_POSTGRES_URL: postgresUrl,
    },
  });
  // A terminal sends vitest Ctrl+C too; the cluster ends after it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => vitest.kill(signal));
  [code] = (await once(vitest, 'exit')) as [number | null] as [number];
} finally {
  for (const part of parts.toReversed()) if (part instanceof ServerProcess) await part.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(code ?? 1);
