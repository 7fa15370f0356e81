import { findTemporalCli } from '../../scripts/temporal-cli.mjs';
import { IS_BUILT } from '../own-files.ts';
import { StackError } from './stack-error.ts';

/** Path of a working Temporal CLI, from TEMPORAL_CLI_PATH, PATH or the cache; never downloads one. */
export function temporalCliPath(search: Readonly<Record<string, string | undefined>>): string {
  const { path, tried } = findTemporalCli(search);
  if (path !== undefined) return path;
  throw new StackError(
    'boot-failed',
    `no usable Temporal CLI was found (${tried.join('; ')})`,
    `Run \`${IS_BUILT ? 'npx payouts-setup' : 'npm run setup'}\`, which installs one, or name one in TEMPORAL_CLI_PATH.`,
  );
}
