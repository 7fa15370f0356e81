import { ConfigError } from './config-error.ts';
import { key, type ValuesOf } from './key.ts';
import type { TemporalConfig } from './temporal.ts';
import { versionName } from './values.ts';

export const DEPLOYMENT_KEYS = {
  PAYOUTS_DEPLOYMENT: key(
    versionName,
    null,
    'name of the worker deployment in Temporal: payouts stay with the build that started them; absent: any worker takes any task',
  ),
  PAYOUTS_BUILD_ID: key(versionName, null, 'build id of the worker in that deployment, a new one for each release'),
} as const;

export interface Deployment {
  deploymentName: string;
  buildId: string;
}

/** Throws a `ConfigError` for one without the other, and with the embedded Temporal, where nothing sets a current version. */
export function deploymentOf(
  { PAYOUTS_DEPLOYMENT: deploymentName, PAYOUTS_BUILD_ID: buildId }: ValuesOf<typeof DEPLOYMENT_KEYS>,
  { kind }: TemporalConfig,
): Deployment | undefined {
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
