import type { Bank } from '../bank/bank.ts';
import { CallBudget, type CallBudgetOptions } from '../bank/call-budget.ts';
import { type BankOptions, createBank } from '../bank/client.ts';
import { sleep } from '../bank/deadline.ts';
import { startReadsRelay } from '../bank/relay-server.ts';
import { withRequiredDetailsCache } from '../bank/required-details-cache.ts';
import { withSharedReads } from '../bank/shared-reads.ts';
import { Problem } from '../domain/problem.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import { addressText } from './telemetry/listen-address.ts';

/**
 * The bank at `apiUrl`: the configured one, directly or through workers, or this stack's sandbox. `onCall` is called for every call. All processes on one
 * store share the limits on calls; without a store there are no limits.
 */
export function bankAt(
  config: Config,
  apiUrl: string,
  { store, onCall }: { store?: Pick<Store, 'bookCalls'>; onCall?: BankOptions['onCall'] } = {},
): Bank {
  const { key, secret, auth, authBeforeExecution, relay } = config.bank;
  const { fields, refusalStatuses, verifyHosts } = config.cards;
  const bank = createBank({
    baseUrl: apiUrl,
    apiKey: key.reveal(),
    apiSecret: secret.reveal(),
    auth,
    relay: relay && { hosts: relay.hosts, key: relay.key.reveal() },
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

/** Lets processes without a key of the bank read through this one, if the configuration says where. Undefined: nobody. */
export async function relayOf(config: Config, apiUrl: string): Promise<{ close(): Promise<void> } | undefined> {
  const { key, secret, auth, relayAt } = config.bank;
  if (relayAt === undefined) return undefined;
  const access = { baseUrl: apiUrl, apiKey: key.reveal(), apiSecret: secret.reveal(), auth, key: relayAt.key.reveal() };
  return startReadsRelay(relayAt, access).catch((error: NodeJS.ErrnoException) => {
    throw new Problem('set-up', 'reads-address', `Reads of the bank cannot be served at ${addressText(relayAt)}.`, {
      hint: 'Free the port, or set another PAYOUTS_BANK_READS_ADDRESS.',
      cause: error,
    });
  });
}
