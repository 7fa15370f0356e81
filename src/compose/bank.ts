import type { Bank } from '../api/bank.ts';
import { CallBudget, type CallBudgetOptions } from '../api/call-budget.ts';
import { type BankOptions, createBank } from '../api/client.ts';
import { sleep } from '../api/deadline.ts';
import { withRequiredDetailsCache } from '../api/required-details-cache.ts';
import { withSharedReads } from '../api/shared-reads.ts';
import type { Config } from '../config.ts';
import type { Store } from '../store/store.ts';

/**
 * The bank at `apiUrl`: the configured one, or this stack's sandbox. `onCall` is called for every call. All processes on one
 * store share the limits on calls; without a store there are no limits.
 */
export function bankAt(
  config: Config,
  apiUrl: string,
  { store, onCall }: { store?: Pick<Store, 'bookCalls'>; onCall?: BankOptions['onCall'] } = {},
): Bank {
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
    admission: store && budgetOver(store, config.bank.callsPerSecond),
  });
  return withSharedReads(withRequiredDetailsCache(bank));
}

const budgetOver = (store: Pick<Store, 'bookCalls'>, limits: CallBudgetOptions['limits']): CallBudget =>
  new CallBudget({
    limits,
    book: (key, lengthMs) => store.bookCalls(key, { at: Date.now(), lengthMs }),
    now: Date.now,
    sleep,
  });
