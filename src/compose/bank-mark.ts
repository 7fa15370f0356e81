import type { Config } from '../config.ts';

/** The store's identifier for a sandbox: its port changes, its books do not. */
const SANDBOX_MARK = 'sandbox';

/** How the store distinguishes banks. */
export function bankIdentity(config: Config): string {
  return config.bank.kind === 'sandbox' ? SANDBOX_MARK : config.bank.url.replace(/\/+$/, '');
}
