import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig';
import { assertTemporalSealed, type ClearTextValues } from './clear-text.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './key.ts';
import { Secret } from './secret.ts';

export type TemporalConfig =
  | { kind: 'embedded'; namespace: string }
  /** `connect` may hold an API key and client certificates. */
  | { kind: 'cluster'; namespace: string; address: string; connect: Secret<ClientConnectConfig['connectionOptions']> };

/** A cluster only when the environment names one: a config file alone does not count. */
export function temporalOf(env: Environment, values: ClearTextValues): TemporalConfig {
  if (!env.TEMPORAL_ADDRESS && !env.TEMPORAL_PROFILE) return { kind: 'embedded', namespace: 'default' };
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  try {
    const { connectionOptions, namespace = 'default' } = loadClientConnectConfig({
      overrideEnvVars: Object.fromEntries(given),
    });
    const { address = 'localhost:7233', tls } = connectionOptions;
    assertTemporalSealed(address, tls, values, env);
    return { kind: 'cluster', namespace, address, connect: new Secret(connectionOptions) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const key = env.TEMPORAL_PROFILE ? 'TEMPORAL_PROFILE' : 'TEMPORAL_ADDRESS';
    throw new ConfigError(
      key,
      error instanceof Error ? error.message : 'cannot be used',
      'Check TEMPORAL_* and the config file of the temporal CLI.',
    );
  }
}
