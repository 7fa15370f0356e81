import type { Bank } from '../api/bank.ts';
import { type BankOptions, createBank } from '../api/client.ts';
import { withRequiredDetailsCache } from '../api/required-details-cache.ts';
import { withSharedReads } from '../api/shared-reads.ts';
import type { Config } from '../config.ts';

/** The bank at `apiUrl`: the configured one, or this stack's sandbox. `onCall` hears of every call. */
export function bankAt(config: Config, apiUrl: string, onCall?: BankOptions['onCall']): Bank {
  const { key, secret, auth, authBeforeExecution } = config.bank;
  const { fields, refusalStatuses, verifyHosts } = config.cards;
  const bank = createBank({
    baseUrl: apiUrl,
    apiKey: key.reveal(),
    apiSecret: secret.reveal(),
    auth,
    authBeforeExecution,
    cardFields: fields,
    cardRefusalStatuses: refusalStatuses,
    cardVerifyHosts: verifyHosts,
    onCall,
  });
  return withSharedReads(withRequiredDetailsCache(bank));
}
