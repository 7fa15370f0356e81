import type { ForgedChannel } from '../attack.ts';
import { COMMAND } from './command.ts';
import { FOLDER } from './folder.ts';
import { JSON_API } from './json-api.ts';
import { PAGES } from './pages.ts';
import { PLANS } from './plans.ts';
import { RESOLVES } from './resolves.ts';
import { RETRIES } from './retries.ts';
import { SIGNALS } from './signals.ts';
import { STARTS } from './starts.ts';
import { STORE } from './store.ts';
import { SWITCHES } from './switches.ts';
import { UPDATES } from './updates.ts';

/** Every way in. */
export const CHANNELS: readonly ForgedChannel[] = [
  COMMAND,
  JSON_API,
  PAGES,
  SIGNALS,
  UPDATES,
  STARTS,
  FOLDER,
  PLANS,
  RESOLVES,
  SWITCHES,
  RETRIES,
  STORE,
];
