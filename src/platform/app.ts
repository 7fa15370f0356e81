import type { Client } from '@temporalio/client';
import type { Bank } from '../bank/bank.ts';
import type { Log } from '../domain/settings.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import type { StackAddresses } from './embedded/stack.ts';
import { lastUiUrl } from './embedded/stack-file.ts';

/** What reads stored rows: part of a process that has more open, and of a command that has not. */
export interface StoreReader {
  config: Config;
  /** Those of `config`, which activities and decisions take too. */
  settings: Config['settings'];
  store: Store;
  /** Epoch ms. */
  now(): number;
}

/** What a process has open, passed whole to all its parts. */
export interface App extends StoreReader {
  bank: Bank;
  /** Of Temporal. */
  client: Client;
  stack: StackAddresses;
  ui: TemporalUi;
  log: Log;
}

export const appOf = (opened: Pick<App, 'config' | 'stack' | 'store' | 'bank' | 'client' | 'log'>): App => ({
  ...opened,
  settings: opened.config.settings,
  ui: temporalUi(opened.config, opened.stack),
  now: Date.now,
});

/** The Temporal Web UI to which links point. */
export interface TemporalUi {
  url: string;
  namespace: string;
}

/** Usual address of a Temporal server's UI, for a home that never had one. */
const USUAL_UI = 'http://127.0.0.1:8233';

/** Where links point: to the configured UI, the stack's, or the last one of this home's embedded Temporal. */
export function temporalUi(
  config: Config,
  { namespace, uiUrl }: { namespace: string; uiUrl?: string | null },
): TemporalUi {
  const last = config.temporal.kind === 'embedded' ? lastUiUrl(config.home) : undefined;
  const url = config.uiUrl ?? uiUrl ?? last ?? USUAL_UI;
  return { url: url.replace(/\/+$/, ''), namespace };
}
