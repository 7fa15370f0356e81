import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig';
import { present } from '../../domain/iterate.ts';
import { assertTemporalEncrypted, type ClearTextValues } from './clear-text.ts';
import { ConfigError, type Environment, key, Secret, type ValuesOf } from './key.ts';
import { versionName } from './values.ts';

export type TemporalConfig =
  | { kind: 'embedded'; namespace: string }
  /** `connect` may contain an API key and client certificates. */
  | { kind: 'cluster'; namespace: string; address: string; connect: Secret<ClientConnectConfig['connectionOptions']> };

/** A cluster only if the environment names one: a Temporal config file alone is not enough. */
export function temporalOf(env: Environment, values: ClearTextValues): TemporalConfig {
  if (!env.TEMPORAL_ADDRESS && !env.TEMPORAL_PROFILE) return { kind: 'embedded', namespace: 'default' };
  try {
    const given = { ...env, TEMPORAL_API_KEY: env.TEMPORAL_API_KEY?.trim() };
    const { connectionOptions, namespace = 'default' } = loadClientConnectConfig({ overrideEnvVars: present(given) });
    const { address = 'localhost:7233', tls, apiKey } = connectionOptions;
    // The client's own error would repeat the key.
    if (typeof apiKey === 'string' && !/^[\x21-\x7e]+$/.test(apiKey)) throw unsendable();
    if (address.includes('://')) throw notHostAndPort(env);
    assertTemporalEncrypted(address, tls, values, env);
    return { kind: 'cluster', namespace, address, connect: new Secret(connectionOptions) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const key = fileKeyOf(error, env) ?? (env.TEMPORAL_PROFILE ? 'TEMPORAL_PROFILE' : 'TEMPORAL_ADDRESS');
    throw new ConfigError(
      key,
      error instanceof Error ? error.message : 'cannot be used',
      'Check TEMPORAL_* and the config file of the temporal CLI.',
    );
  }
}

function fileKeyOf(error: unknown, env: Environment): string | undefined {
  const path = error instanceof Error && 'path' in error ? error.path : undefined;
  return path === undefined ? undefined : FILE_KEYS.find((name) => env[name] === path);
}

const FILE_KEYS = ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH', 'TEMPORAL_TLS_SERVER_CA_CERT_PATH'];

const unsendable = (): ConfigError =>
  new ConfigError(
    'TEMPORAL_API_KEY',
    'has a character that cannot be sent, such as a line end or a blank',
    'Copy the key again, as one line.',
  );

const notHostAndPort = (env: Environment): ConfigError =>
  new ConfigError(
    env.TEMPORAL_ADDRESS ? 'TEMPORAL_ADDRESS' : 'TEMPORAL_PROFILE',
    'is not HOST:PORT',
    'Leave out http:// or https://; TEMPORAL_TLS=true turns TLS on.',
  );

export const DEPLOYMENT_KEYS = {
  PAYOUTS_DEPLOYMENT: key(
    versionName,
    null,
    'name of the worker deployment in Temporal: payouts stay with the build that started them; absent: any worker takes any task',
  ),
  PAYOUTS_BUILD_ID: key(versionName, null, 'build id of the worker in that deployment, a new one for each release'),
} as const;

/** Throws a `ConfigError` for one without the other, and with the embedded Temporal, where nothing sets a current version. */
export function deploymentOf(
  { PAYOUTS_DEPLOYMENT: deploymentName, PAYOUTS_BUILD_ID: buildId }: ValuesOf<typeof DEPLOYMENT_KEYS>,
  { kind }: TemporalConfig,
) {
  if (deploymentName === undefined && buildId === undefined) return undefined;
  if (deploymentName === undefined || buildId === undefined) {
    const missing = deploymentName === undefined ? 'PAYOUTS_DEPLOYMENT' : 'PAYOUTS_BUILD_ID';
    throw new ConfigError(missing, 'is missing: a deployment and a build go together', 'Set both, or neither.');
  }
  if (kind === 'cluster') return { deploymentName, buildId };
  throw new ConfigError(
    'PAYOUTS_DEPLOYMENT',
    'is set without a Temporal cluster, but the embedded Temporal has only one build',
    'Unset it, or set TEMPORAL_ADDRESS.',
  );
}

/** What starts a worker of this configuration. */
export const startCommand = ({ temporal }: { temporal: { kind: 'embedded' | 'cluster' } }): string =>
  temporal.kind === 'embedded' ? 'payouts dev' : 'payouts worker';
