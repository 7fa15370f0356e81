import { type FoundCli, findTemporalCli } from '../../../scripts/temporal-cli.mjs';
import { IS_BUILT } from '../../store/own-files.ts';
import { StackError } from './home.ts';

/** A working Temporal CLI, from TEMPORAL_CLI_PATH, PATH or the cache; never downloads one. */
export function temporalCli(search: Readonly<Record<string, string | undefined>>): FoundCli {
  const found = findTemporalCli(search);
  if (found.path !== undefined) return found;
  const { tried } = found;
  throw new StackError(
    'boot-failed',
    `no usable Temporal CLI was found (${tried.join('; ')})`,
    `Run \`${IS_BUILT ? 'npx payouts-setup' : 'npm run setup'}\`, which installs one, or name one in TEMPORAL_CLI_PATH.`,
  );
}
