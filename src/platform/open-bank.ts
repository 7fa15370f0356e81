import type { PayeeChecks } from '../activities/payee-checks.ts';
import type { Bank } from '../bank/bank.ts';
import type { BankClock } from '../bank/bank-clock.ts';
import { CallBudget, type CallBudgetOptions } from '../bank/call-budget.ts';
import { type BankOptions, createBank } from '../bank/client.ts';
import { sleep } from '../bank/deadline.ts';
import { isJudged, undefinedIf } from '../bank/errors.ts';
import { askedOnce, httpProvider } from '../bank/payee-checks/provider.ts';
import { startReadsRelay } from '../bank/relay-server.ts';
import { withRequiredDetailsCache } from '../bank/required-details-cache.ts';
import type { RequiredDetailsEntry } from '../bank/schemas/beneficiaries.ts';
import { withSharedReads } from '../bank/shared-reads.ts';
import { may, type Policy } from '../domain/authority.ts';
import { hindrancesOf, hindranceText, livenessOf } from '../domain/liveness.ts';
import { currencyCodes } from '../domain/money.ts';
import { Problem } from '../domain/problem.ts';
import type { Log } from '../domain/settings.ts';
import type { Store } from '../store/store.ts';
import { ConfigError } from './config/key.ts';
import { startCommand } from './config/temporal.ts';
import type { Config } from './config.ts';
import { addressText } from './telemetry/listen-address.ts';

/**
 * The bank at `apiUrl`: the configured one, directly or through workers, or this stack's sandbox. `onCall` is called for every call. All processes on one
 * store share the limits on calls; without a store there are no limits.
 */
export function bankAt(
  config: Config,
  apiUrl: string,
  { store, onCall }: { store?: Store; onCall?: BankOptions['onCall'] } = {},
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
    proxy: config.proxyFor(apiUrl),
    admission: store && budgetOver(store, config.bank.callsPerSecond),
  });
  return withSharedReads(withRequiredDetailsCache(bank));
}

const budgetOver = (store: Store, limits: CallBudgetOptions['limits']): CallBudget =>
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
  const secrets = { apiKey: key.reveal(), apiSecret: secret.reveal(), key: relayAt.key.reveal() };
  const access = { baseUrl: apiUrl, auth, proxy: config.proxyFor(apiUrl), ...secrets };
  return startReadsRelay(relayAt, access).catch((error: NodeJS.ErrnoException) => {
    throw new Problem('set-up', 'reads-address', `Reads of the bank cannot be served at ${addressText(relayAt)}.`, {
      hint: 'Free the port, or set another PAYOUTS_BANK_READS_ADDRESS.',
      cause: error,
    });
  });
}

const BENEFICIARY_TYPES = ['personal', 'business'] as const;
/** Assumed if the institution shows no account from which to take its currencies. */
const USUAL_CURRENCY = 'USD';

/**
 * The bank's required-details for payees: in one currency, else in every currency that the institution holds. Throws a usage
 * error for a currency that is not in ISO 4217, or in which the bank offers nothing.
 */
export async function bankOffer(bank: Bank, currency: string | undefined): Promise<RequiredDetailsEntry[]> {
  if (currency !== undefined && !currencyCodes().includes(currency)) {
    const upper = currency.toUpperCase();
    throw new Problem('usage', 'unknown-currency', `"${currency}" is not an ISO 4217 currency code.`, {
      hint: `Write ${currencyCodes().includes(upper) ? upper : 'a code such as EUR'}.`,
    });
  }
  const currencies = currency === undefined ? await heldCurrencies(bank) : [currency];
  const entries = await offerIn(bank, currencies);
  if (entries.length === 0) {
    throw new Problem('usage', 'nothing-offered', `The bank offers no payment in ${currencies.join(', ')}.`, {
      hint: 'Name another currency with --currency.',
    });
  }
  return entries;
}

/** What the bank offers in these currencies; nothing for one in which it pays nothing, or that does not exist. */
export async function offerIn(bank: Bank, currencies: Iterable<string>): Promise<RequiredDetailsEntry[]> {
  const entries: RequiredDetailsEntry[] = [];
  for (const currency of currencies) {
    for (const type of BENEFICIARY_TYPES) {
      // A bank may refuse to list details for a currency that it holds but does not pay out.
      const offered = await undefinedIf(isJudged, () => bank.beneficiaries.requiredDetails(currency, type));
      entries.push(...(offered ?? []));
    }
  }
  return entries;
}

async function heldCurrencies(bank: Bank): Promise<string[]> {
  const held = new Set((await bank.accounts.master()).map(({ currency }) => currency));
  return held.size === 0 ? [USUAL_CURRENCY] : [...held];
}

/** A worker asks no longer than this whether the bank is there. */
const PROBE_MS = 9_000;

/** Rejects if the bank gives no answer of its own; a refusal is one. */
export const bankAnswers = (bank: { accounts: Bank['accounts'] }): Promise<unknown> =>
  undefinedIf(isJudged, () => bank.accounts.master({ signal: AbortSignal.timeout(PROBE_MS), goesFirst: true }));

/** What is in the way of payouts, or may come to be, although this process is ready. */
export interface Notice {
  /** The part that is down. */
  part?: string;
  text: string;
}

interface NoticeDeps {
  bank: Bank;
  store: Store;
  config: Config;
  now: () => number;
}

/** Without numbers of payouts, since it is shown to anybody. A store that cannot be read is reported by its own part. */
export const noticesOf =
  ({ bank, store, config, now }: NoticeDeps) =>
  async (): Promise<Notice[]> => {
    const signs = await store.signsOfLife().catch(() => undefined);
    const hindrances = signs === undefined ? [] : hindrancesOf(livenessOf(signs, now()), startCommand(config));
    const complaint = clockComplaint(bank.clock.offset(), config.settings.clockSkewMs);
    return [
      ...hindrances.map((hindrance) => ({ part: hindrance.part, text: hindranceText(hindrance, undefined) })),
      ...(complaint === undefined ? [] : [{ text: complaint }]),
    ];
  };

/** A sentence if the bank's clock is off by more than PAYOUTS_BANK_CLOCK_SKEW, otherwise undefined. */
export function clockComplaint(offset: number | undefined, limitMs: number): string | undefined {
  if (offset === undefined || Math.abs(offset) <= limitMs) return undefined;
  const seconds = Math.round(Math.abs(offset) / 1_000);
  return (
    `the bank's clock is ${seconds} s ${offset > 0 ? 'ahead of' : 'behind'} this machine's, above the limit of ` +
    `${Math.round(limitMs / 1_000)} s (PAYOUTS_BANK_CLOCK_SKEW): until one of them is corrected, no lost order is proven absent`
  );
}

/** Logs once when the bank's clock goes off, and once when it is right again. */
export function bankClockAlarm(clock: BankClock, limitMs: number, log: Log): () => void {
  let isOff = false;
  return () => {
    const offsetMs = clock.offset();
    const complaint = clockComplaint(offsetMs, limitMs);
    if (complaint !== undefined && !isOff) log.warn({ offsetMs }, complaint);
    if (complaint === undefined && isOff) log.info({ offsetMs }, "the bank's clock is within the limit again");
    isOff = complaint !== undefined;
  };
}

/**
 * The provider of payee checks: the configured one, or that of this stack's sandbox. Undefined: none. Throws a `ConfigError` if
 * the policy lets nobody decide on a screening.
 */
export function payeeChecks({ checks, bank, settings, proxyFor }: Config, apiUrl: string): PayeeChecks | undefined {
  if (checks === undefined) return undefined;
  assertDecidable(settings.policy);
  const { provider, timeoutMs, maxAgeMs, verifiedCurrencies } = checks;
  const at =
    provider.kind === 'sandbox'
      ? { name: 'sandbox', url: `${apiUrl}/checks`, secret: bank.secret.reveal() }
      : { name: new URL(provider.url).host, url: provider.url, secret: provider.secret.reveal() };
  return {
    provider: askedOnce(httpProvider({ ...at, timeoutMs, proxy: proxyFor(at.url) })),
    maxAgeMs,
    verifiedCurrencies,
  };
}

/** Otherwise a payout held for a screening would be held for ever. */
function assertDecidable(policy: Policy | undefined): void {
  if (policy === undefined) return;
  if (policy.people.some((person) => may(person, 'screening') && person.credentials.length > 0)) return;
  throw new ConfigError(
    'PAYOUTS_CHECKS',
    'has payees screened, but the policy gives nobody with a key the role compliance: nobody could clear a hit',
    'Give somebody the role compliance in the policy, or unset PAYOUTS_CHECKS.',
  );
}
