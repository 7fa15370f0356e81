import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { asWriter, TEMPLATE, urlOfDatabase } from './databases.ts';

/**
 * The cluster that `npm run test:cluster` has up: its Temporal, and a PostgreSQL in which databases may be made. undefined: each
 * suite starts what it needs, a dev server and SQLite.
 */
export const TEST_CLUSTER = clusterOf(process.env);

function clusterOf({
  PAYOUTS_TEST_TEMPORAL_ADDRESS: temporalAddress,
  PAYOUTS_TEST_POSTGRES_URL: postgresUrl,
}: NodeJS.ProcessEnv): { temporalAddress: string; postgresUrl: string } | undefined {
  if (temporalAddress === undefined) return undefined;
  if (postgresUrl === undefined) throw new Error('PAYOUTS_TEST_TEMPORAL_ADDRESS goes with PAYOUTS_TEST_POSTGRES_URL');
  return { temporalAddress, postgresUrl };
}

const made = new Set<string>();

/**
 * What puts the commands of a home on the cluster, with a database of its own and, unless `given` names a Temporal, a
 * namespace. Both are made here, at once: a command does not wait for it.
 */
export function onCluster(
  home: string,
  given: Readonly<Record<string, string>>,
  temporalCli: string,
): Record<string, string> {
  if (TEST_CLUSTER === undefined) return {};
  const { temporalAddress, postgresUrl } = TEST_CLUSTER;
  const name = `home_${createHash('sha256')
    .update(given.PAYOUTS_HOME ?? home)
    .digest('hex')
    .slice(0, 16)}`;
  const onTemporal = given.TEMPORAL_ADDRESS === undefined;
  const hasKeys = given.PAYOUTS_CODEC_KEYS_FILE !== undefined;
  if (!made.has(name)) {
    run('psql', [postgresUrl, '--no-psqlrc', '--quiet', '--command', `create database ${name} template ${TEMPLATE}`]);
    if (onTemporal) register(temporalCli, temporalAddress, name);
    made.add(name);
  }
  return {
    PAYOUTS_STORE_URL: asWriter(urlOfDatabase(postgresUrl, name)),
    ...(onTemporal
      ? {
          TEMPORAL_ADDRESS: temporalAddress,
          TEMPORAL_NAMESPACE: name,
          ...(!hasKeys && { PAYOUTS_CODEC_KEYS: codecKeyOf(name) }),
        }
      : {}),
  };
}

/** As every embedded stack has one of its own. */
const codecKeyOf = (name: string): string =>
  `${name.replace('_', '-')}:${createHash('sha256').update(name).digest('base64')}`;

function register(temporalCli: string, address: string, namespace: string): void {
  const operator = ['operator', 'namespace', 'create', '--namespace', namespace, '--retention', '1d'];
  run(temporalCli, [...operator, '--address', address]);
}

const run = (command: string, args: readonly string[]): void =>
  void execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
