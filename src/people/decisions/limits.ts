import { byEarlierClock } from '../../bank/bank-time.ts';
import type { Limit } from '../../domain/authority.ts';
import { HOUR_MS } from '../../domain/durations.ts';
import { compareDecimals, sumDecimals } from '../../domain/money.ts';
import type { ExchangePlan } from '../../domain/order-plans.ts';
import { type ApprovalRule, approvalsNeeded, HOURS_ADDED_UP, type Per, type RuledPayout } from '../../domain/policy.ts';
import type { WorkerSettings } from '../../domain/settings.ts';
import { legReferences } from '../../store/claimed-row.ts';
import type { HandedToBank, PayoutRecord, Store } from '../../store/store.ts';

/** What is known of an order before it is sent, or before the bank is told to release it. */
interface AboutToSend {
  /** When it was handed to the bank, which audits it; absent: it was not. */
  sentAt?: number;
  beneficiaryId?: string;
  /** The account that pays a payout; absent: the account its row names. */
  payingAccountId?: string;
  /** The plan of an exchange, by itself or before a payout. */
  exchange?: Pick<ExchangePlan, 'sellCurrency' | 'quotedSellAmount'>;
}

export interface AddedUpDeps {
  store: Store;
  now: () => number;
  settings: Pick<WorkerSettings, 'policy'> & Partial<Pick<WorkerSettings, 'clockSkewMs'>>;
  bank: Parameters<typeof byEarlierClock>[0]['bank'];
}

/**
 * The policy limit that a row would exceed, in words; undefined if it fits. Counts everything handed to the bank within the hours
 * of the limit unless it is known to have moved nothing: what is paid, what an exchange buys, and what it sells.
 */
export async function limitPassed(
  deps: AddedUpDeps,
  row: PayoutRecord,
  { sentAt, beneficiaryId, payingAccountId, exchange }: AboutToSend,
): Promise<string | undefined> {
  const { instruction } = row;
  const { currency, amount, account_id: named } = instruction;
  const payee = beneficiaryId ?? instruction.beneficiary_id ?? instruction.to_account_id;
  const bought = await passedIn(deps, row, {
    ...{ currency, amount, payee, sentAt },
    accountId: payingAccountId ?? named,
  });
  if (bought !== undefined || exchange === undefined) return bought;
  const { sellCurrency, quotedSellAmount } = exchange;
  return passedIn(deps, row, {
    ...{ currency: sellCurrency, amount: quotedSellAmount, payee, sentAt },
    accountId: named,
  });
}

const ALONE = '; this payout alone is above it: only another policy lets it continue';

interface Moved {
  currency: string;
  amount: string;
  accountId: string;
  /** The payee of a payout; otherwise the receiving account. */
  payee: string | undefined;
  sentAt?: number;
}

async function passedIn(deps: AddedUpDeps, row: PayoutRecord, moved: Moved): Promise<string | undefined> {
  const { currency, amount } = moved;
  const { limits = [] } = deps.settings.policy ?? {};
  for (const limit of limits.filter((it) => it.currency === currency && counts(it, row.kind))) {
    const sum = await addedUp(deps, row, moved, limit);
    if (compareDecimals(sum, limit.amount) !== 1) continue;
    const isAlone = compareDecimals(amount, limit.amount) === 1;
    return `${limit.amount} ${currency} per ${limit.per}, within ${hoursOf(limit)} h${isAlone ? ALONE : ''}`;
  }
  return undefined;
}

/** The most approvals that a rule asks which adds this row to what was handed to the bank before; 0: none. */
export async function approvalsAddedUp(
  deps: AddedUpDeps,
  row: PayoutRecord,
  payout: RuledPayout & { payee?: string },
): Promise<number> {
  const { approvals = [] } = deps.settings.policy ?? {};
  const { sold, ...bought } = payout;
  let most = 0;
  for (const rule of approvals) {
    if (!isAddedUp(rule)) continue;
    for (const { currency, amount } of [bought, ...(sold === undefined ? [] : [sold])]) {
      if (currency !== rule.currency) continue;
      const accountId = bought.payingAccountId ?? bought.accountId ?? '';
      const sum = await addedUp(deps, row, { currency, amount, accountId, payee: payout.payee }, rule);
      most = Math.max(most, approvalsNeeded([rule], { ...bought, currency, amount: sum }));
    }
  }
  return most;
}

export const isAddedUp = (rule: ApprovalRule): rule is ApprovalRule & { per: Per } => rule.per !== undefined;

interface AddedUp {
  per: Per;
  hours?: number;
  kinds?: Limit['kinds'];
}

const hoursOf = ({ hours = HOURS_ADDED_UP }: AddedUp): number => hours;
const counts = ({ kinds }: AddedUp, kind: PayoutRecord['kind']): boolean => kinds?.includes(kind) ?? true;

/** The amount of a row and of all that was handed to the bank before and counts together with it. */
async function addedUp(deps: AddedUpDeps, row: PayoutRecord, moved: Moved, by: AddedUp): Promise<string> {
  const { store, settings, now, bank } = deps;
  // Our clock alone does not say when the time is over: one that is ahead would begin another, and a worker whose clock is behind
  // records its sends too early, by no more than the allowed skew.
  const since = byEarlierClock({ bank }, now()) - hoursOf(by) * HOUR_MS - (settings.clockSkewMs ?? 0);
  // What was handed over since does not count together with an order whose own hours are over.
  if (moved.sentAt !== undefined && moved.sentAt < since) return moved.amount;
  const own = new Set(Object.values(legReferences(row)));
  const others = (await store.handedToBank({ currency: moved.currency, since })).filter(
    (other) => !own.has(other.reference) && counts(by, other.kind) && isSame[by.per](other, moved),
  );
  return sumDecimals([moved.amount, ...others.map(({ amount }) => amount)]);
}

const isSame: Readonly<Record<Per, (other: HandedToBank, moved: Moved) => boolean>> = {
  day: () => true,
  account: (other, { accountId }) => other.accountId === accountId,
  payee: (other, { payee }) => other.payee !== undefined && other.payee === payee,
};
