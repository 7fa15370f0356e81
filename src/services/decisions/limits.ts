import type { Limit } from '../../domain/authority.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { compareDecimals, sumDecimals } from '../../domain/money.ts';
import type { ExchangePlan } from '../../domain/order-plans.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { byEarlierClock } from '../bank-time.ts';
import type { ActivityDeps } from '../deps.ts';

/** What is known of an order before it is sent. */
interface AboutToSend {
  beneficiaryId?: string;
  /** The account that pays a payout; absent: the account its row names. */
  payingAccountId?: string;
  /** The plan of a stand-alone exchange. */
  exchange?: Pick<ExchangePlan, 'sellCurrency' | 'quotedSellAmount'>;
}

/**
 * The policy limit that a row would exceed, in words; undefined if it fits. Counts everything handed to the bank within 24 hours
 * unless it is known to have moved nothing. A stand-alone exchange counts by what it buys and by what it sells.
 */
export async function limitPassed(
  deps: ActivityDeps,
  row: PayoutRecord,
  { beneficiaryId, payingAccountId, exchange }: AboutToSend,
): Promise<string | undefined> {
  const { kind, instruction } = row;
  const { currency, amount } = instruction;
  const payee = beneficiaryId ?? instruction.to_account_id;
  const between = { accountId: payingAccountId ?? instruction.account_id, payee };
  const bought = await passedIn(deps, row, { currency, amount, ...between });
  if (bought !== undefined || kind !== 'exchange' || exchange === undefined) return bought;
  const { sellCurrency, quotedSellAmount } = exchange;
  return passedIn(deps, row, { currency: sellCurrency, amount: quotedSellAmount, ...between });
}

const ALONE = '; this payout alone is above it: only another policy lets it continue';

interface Moved {
  currency: string;
  amount: string;
  accountId: string;
  /** The payee of a payout; otherwise the receiving account. */
  payee: string | undefined;
}

async function passedIn(
  { store, settings: { policy, clockSkewMs }, now, bank }: ActivityDeps,
  { kind, reference }: PayoutRecord,
  { currency, amount, accountId, payee }: Moved,
): Promise<string | undefined> {
  const counted = (limit: Limit, of: PayoutRecord['kind']): boolean => limit.kinds?.includes(of) ?? true;
  const limits = policy?.limits.filter((limit) => limit.currency === currency && counted(limit, kind)) ?? [];
  if (limits.length === 0) return undefined;
  // Our clock alone does not say when a day is over: one that is ahead would begin another, and a worker whose clock is behind
  // records its sends too early, by no more than the allowed skew.
  const since = byEarlierClock({ bank }, now()) - DAY_MS - clockSkewMs;
  const others = (await store.handedToBank({ currency, since })).filter((other) => other.reference !== reference);
  const counts: Readonly<Record<Limit['per'], (other: (typeof others)[number]) => boolean>> = {
    day: () => true,
    account: (other) => other.accountId === accountId,
    payee: (other) => other.payee !== undefined && other.payee === payee,
  };
  const passed = limits.find((limit) => {
    const same = others.filter((other) => counted(limit, other.kind) && counts[limit.per](other));
    return compareDecimals(sumDecimals([amount, ...same.map((other) => other.amount)]), limit.amount) === 1;
  });
  if (passed === undefined) return undefined;
  const isAlone = compareDecimals(amount, passed.amount) === 1;
  return `${passed.amount} ${passed.currency} per ${passed.per}, within 24 h${isAlone ? ALONE : ''}`;
}
