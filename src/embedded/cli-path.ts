import { findTemporalCli } from '../../scripts/temporal-cli.mjs';
import { IS_BUILT } from '../own-files.ts';

export class TemporalCliMissingError extends Error {
  override readonly name = 'TemporalCliMissingError';
  readonly hint =
    `Run \`${IS_BUILT ? 'npx payouts-setup' : 'npm run setup'}\`, which installs one, or name one in TEMPORAL_CLI_PATH.`;
}

/** Path of a working Temporal CLI, from TEMPORAL_CLI_PATH, PATH or the cache; never downloads one. */
export function temporalCliPath(search: Readonly<Record<string, string | undefined>>): string {
  const { path, tried } = findTemporalCli(search);
  if (path === undefined) throw new TemporalCliMissingError(`no usable Temporal CLI was found (${tried.join('; ')})`);
  return path;
}
