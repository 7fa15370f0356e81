import type { Config } from '../config.ts';

/** What the store records about a sandbox: its port changes, its books do not. */
const SANDBOX_MARK = 'sandbox';

/** How the store tells banks apart. */
export function bankMark(config: Config): string {
  return config.bank.kind === 'sandbox' ? SANDBOX_MARK : config.bank.url.replace(/\/+$/, '');
}
