import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openClusterHome } from '../../../scripts/cluster/home.ts';
import { databaseFiles, findPostgres, postgres } from '../../../scripts/cluster/postgres.ts';

/**
 * `npm run test:postgres [-- FILE... OPTION...]`: the tests that also work on PostgreSQL, on a server of their own, which is made for the run
 * and removed after it. Exit code of vitest.
 */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const USES_POSTGRES = /process\.env\.PAYOUTS_TEST_POSTGRES_URL|\/stores\.ts'/;

const args = process.argv.slice(2);

function suites(): string[] {
  if (args.some((arg) => !arg.startsWith('-'))) return [];
  const all = globSync('test/**/*.test.ts', { cwd: ROOT });
  return all.filter((file) => USES_POSTGRES.test(readFileSync(join(ROOT, file), 'utf8')));
}

const dir = mkdtempSync(join(tmpdir(), 'payouts-postgres-'));
// PostgreSQL does not run as root: where we do, another user has to get through.
chmodSync(dir, 0o711);
const home = await openClusterHome(join(dir, 'home'));
const { PATH = '', HOME = dir } = process.env;
const programs = findPostgres(process.env);
const options = {
  programs,
  home,
  env: { PATH, HOME },
  // Every test has a database, and every store of it a pool.
  settings: ['max_connections=500', 'fsync=off'],
  say: (line: string): void => void process.stderr.write(`postgres: ${line}\n`),
};
const server = postgres(options);
let code: number | null = 1;
try {
  await databaseFiles(options).start();
  await server.start();
  const password = home.secrets.read('postgres-password');
  const vitest = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...suites(), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${programs}:${PATH}`,
      PAYOUTS_TEST_POSTGRES_URL: `postgres://postgres:${password}@127.0.0.1:${home.ports.postgres}/postgres`,
    },
  });
  // A terminal sends vitest Ctrl+C too; the server ends after it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => vitest.kill(signal));
  [code] = (await once(vitest, 'exit')) as [number | null];
} finally {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(code ?? 1);
