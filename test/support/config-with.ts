import { type Config, loadConfig } from '../../src/platform/config.ts';

/** The default configuration, with these members in place of its own. */
export const configWith = (members: Partial<Config>): Config => ({ ...loadConfig({}), ...members });
