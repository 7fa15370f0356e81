import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig';
import { present } from '../domain/present.ts';
import { assertTemporalEncrypted, type ClearTextValues } from './clear-text.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './key.ts';
import { Secret } from './secret.ts';

export type TemporalConfig =
  | { kind: 'embedded'; namespace: string }
  /** `connect` may contain an API key and client certificates. */
  | { kind: 'cluster'; namespace: string; address: string; connect: Secret<ClientConnectConfig['connectionOptions']> };

/** A cluster only if the environment names one: a Temporal config file alone is not enough. */
export function temporalOf(env: Environment, values: ClearTextValues): TemporalConfig {
  if (!env.TEMPORAL_ADDRESS && !env.TEMPORAL_PROFILE) return { kind: 'embedded', namespace: 'default' };
  try {
    const { connectionOptions, namespace = 'default' } = loadClientConnectConfig({ overrideEnvVars: present(env) });
    const { address = 'localhost:7233', tls } = connectionOptions;
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

const notHostAndPort = (env: Environment): ConfigError =>
  new ConfigError(
    env.TEMPORAL_ADDRESS ? 'TEMPORAL_ADDRESS' : 'TEMPORAL_PROFILE',
    'is not HOST:PORT',
    'Leave out http:// or https://; TEMPORAL_TLS=true turns TLS on.',
  );
