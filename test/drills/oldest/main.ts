import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cachedCliPath, examineCli } from '../../../scripts/temporal-cli.mjs';
import { installTemporalCli } from '../../../scripts/temporal-cli-install.mjs';
import { OLDEST_TEMPORAL } from '../../../scripts/temporal-versions.mjs';

/**
 * `npm run test:oldest [-- OPTION...]`: the tests of workflows, of the embedded server and of its Web UI on the oldest Temporal
 * that is supported.
 */
const VITEST = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));

async function oldestCli(): Promise<string> {
  const version = OLDEST_TEMPORAL.cli;
  const cached = cachedCliPath(process.env, version);
  const { problem } = examineCli(cached);
  if (problem === undefined) return cached;
  const tried = [`cache: ${problem}`];
  const installed = await installTemporalCli(process.env, { version, tried, say: (line) => console.error(line) });
  if (installed === undefined) throw new Error(`no Temporal CLI ${version}: ${tried.join('; ')}`);
  return installed;
}

const env = { ...process.env, TEMPORAL_CLI_PATH: await oldestCli(), PAYOUTS_TEST_OLDEST: '1' };
const PROJECTS = ['workflows', 'workflows-thorough', 'embedded'].flatMap((name) => ['--project', name]);
const args = [VITEST, 'run', ...PROJECTS, ...process.argv.slice(2)];
const [code] = await once(spawn(process.execPath, args, { env, stdio: 'inherit' }), 'exit');
process.exitCode = code ?? 1;
