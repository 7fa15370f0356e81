import type { Bank } from '../api/bank.ts';
import { createBank } from '../api/client.ts';
import type { Config } from '../config.ts';
import { SANDBOX_KEY, SANDBOX_SECRET } from '../sandbox/credentials.ts';

/** What the store records about a sandbox: its port changes, its books do not. */
const SANDBOX_MARK = 'sandbox';

/** The bank at `apiUrl`: the configured one, or this stack's sandbox with its own well-known key. */
export function bankAt(config: Config, apiUrl: string): Bank {
  const { bank } = config;
  if (bank.kind === 'sandbox') {
    return createBank({ baseUrl: apiUrl, apiKey: SANDBOX_KEY, apiSecret: SANDBOX_SECRET });
  }
  return createBank({
    baseUrl: apiUrl,
    apiKey: bank.key.reveal(),
    apiSecret: bank.secret.reveal(),
    auth: bank.auth,
    authBeforeExecution: config.authBeforeExecution,
  });
}

/** How the store tells banks apart. */
export function bankMark(config: Config): string {
  return config.bank.kind === 'sandbox' ? SANDBOX_MARK : config.bank.url.replace(/\/+$/, '');
}
