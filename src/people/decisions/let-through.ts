import { byEarlierClock } from '../../bank/bank-time.ts';
import type { ExchangePlan } from '../../domain/agreed-cost.ts';
import { approvers, bankDigest, type Limit, type ScopeFacts, scopeFactsOf } from '../../domain/authority.ts';
import type { Assessment } from '../../domain/gates.ts';
import { compareDecimals, sumDecimals } from '../../domain/money.ts';
import { type ApprovalRule, approvalsNeeded, HOURS_ADDED_UP, type Per, type RuledPayout } from '../../domain/policy.ts';
import { questionOfHold } from '../../domain/reasons.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { orderReferences } from '../../store/claimed-row.ts';
import type { HandedToBank, PayoutRecord } from '../../store/store.ts';
import { type Asked, type AskedBy, askedOf, ruledBy } from './asked.ts';
import type { PlanDeps } from './foresee.ts';
import {
  isMade,
  isMakerAllowed,
  isOneDocument,
  isRejected,
  raisedIfRejected,
  type SignedQuestion,
  verdictOn,
} from './verdict.ts';

/** What is known of an order before it is sent, or before the bank is asked to release it. */
interface AboutToSend {
  /** When it was handed to the bank, which audits it; absent: it was not. */
  sentAt?: number;
  beneficiaryId?: string;
  /** The account that pays a payout; absent: the account its row names. */
  payingAccountId?: string;
  /** The plan of an exchange, by itself or before a payout. */
  exchange?: Pick<ExchangePlan, 'sellCurrency' | 'quotedSellAmount'>;
}

/**
 * The policy limit that a row would exceed, in words; undefined if it fits. Counts everything handed to the bank within the hours
 * of the limit unless it is known to have moved nothing: what is paid, what an exchange buys, and what it sells.
 */
export async function limitPassed(
  deps: PlanDeps,
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

async function passedIn(deps: PlanDeps, row: PayoutRecord, moved: Moved): Promise<string | undefined> {
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
async function approvalsAddedUp(
  deps: PlanDeps,
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
async function addedUp(deps: PlanDeps, row: PayoutRecord, moved: Moved, by: AddedUp): Promise<string> {
  const { store, settings, now, bank } = deps;
  // Our clock alone does not say when the time is over: one that is ahead would begin another, and a worker whose clock is behind
  // records its sends too early, by no more than the allowed skew.
  const since = byEarlierClock(bank, now()) - hoursOf(by) * HOUR_MS - (settings.clockSkewMs ?? 0);
  // What was handed over since does not count together with an order whose own hours are over.
  if (moved.sentAt !== undefined && moved.sentAt < since) return moved.amount;
  const own = new Set(Object.values(orderReferences(row)));
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

/**
 * Whether people let a row leave as it was just read at the bank, by the policy in force now. Nothing that the store keeps of an
 * earlier reading decides: no digest, no number of approvals, no exception, no amount but that of the instruction, which is
 * signed.
 */

/** Before an order is sent, or a payee made. `read`: right now; without a policy the last assessment. */
export async function mayLeave(deps: PlanDeps, row: PayoutRecord, read: Assessment): Promise<boolean> {
  if (!isOneDocument(row)) return false;
  const asked = askedNow(deps, row, read);
  if (deps.settings.policy === undefined) return hasNames(deps, row, asked);
  const touched = touchedBy(row, read);
  for (const { reason, digest } of read.exceptions ?? []) {
    const { verdict } = await verdictOn(deps, row, { question: questionOfHold(reason), digest, needed: 1 }, touched);
    if (verdict !== 'approved') return false;
  }
  const { digest, asksAlone: alone } = asked;
  const { approvalsNeeded: needed } = await raised(deps, row, asked, read);
  return isApproved(deps, row, { question: 'payout', digest, needed, alone }, touched);
}

/** Before the bank is asked to release an order that it audits. `read`: with what the bank shows of the order. */
export async function mayRelease(
  deps: PlanDeps,
  row: PayoutRecord,
  read: Assessment,
  orderId: string,
): Promise<boolean> {
  if (!isOneDocument(row)) return false;
  if (deps.settings.policy === undefined) return true;
  const { digest, asksAlone: alone, approvalsAtBank = 1 } = askedNow(deps, row, read);
  const needed = Math.max(1, approvalsAtBank);
  return isApproved(
    deps,
    row,
    { question: 'bank', digest: bankDigest(digest, orderId), needed, alone },
    touchedBy(row, read),
  );
}

/**
 * What a row asks, raised: by what was handed to the bank before, where a rule adds up; to one approval if its maker has not
 * signed it; and above everybody if it was rejected before fewer people were asked.
 */
export async function raised(
  deps: PlanDeps,
  row: PayoutRecord,
  asked: Assessment,
  read: Partial<Assessment>,
): Promise<Pick<Assessment, 'approvalsNeeded' | 'asked' | 'notMade'>> {
  const { beneficiary, flags, ...seen } = read;
  const payee = beneficiary?.known === true ? beneficiary.id : undefined;
  const { beneficiary_id, to_account_id } = row.instruction;
  const ruled = { ...ruledBy(deps.settings.terms, row, seen, flags), payee: payee ?? beneficiary_id ?? to_account_id };
  const needed = Math.max(asked.approvalsNeeded, await approvalsAddedUp(deps, row, ruled));
  const isUnmade = needed === 0 && !(await isMade(deps, row, touchedBy(row, read)));
  const least = isUnmade ? 1 : needed;
  const rejected = await raisedIfRejected(deps, row, { ...asked, approvalsNeeded: least });
  return { approvalsNeeded: least, ...(isUnmade && { notMade: true }), ...rejected };
}

/** How many must approve a row as last read, under the policy in force now. More are asked before a send if a rejection is in force. */
export function neededNow(
  deps: AskedBy,
  row: PayoutRecord,
  assessed: Assessment,
): { needed: number; neededAtBank: number; alone: boolean } {
  const { approvalsNeeded, approvalsAtBank = 1, asksAlone = false } = askedNow(deps, row, assessed);
  return {
    needed: Math.max(assessed.approvalsNeeded, approvalsNeeded),
    neededAtBank: Math.max(1, approvalsAtBank),
    alone: asksAlone,
  };
}

/** What a row asks by a reading, under the policy in force now. */
function askedNow(deps: AskedBy, row: PayoutRecord, { beneficiary, ...seen }: Assessment): Asked {
  const payee = beneficiary?.known === true ? beneficiary : undefined;
  return askedOf(deps, row, { ...seen, payee }, seen.flags);
}

/** Everything that a row moves or changes hands with, as read: both currencies and every account. */
export const touchedBy = (
  { kind, instruction }: PayoutRecord,
  { soldCurrency, exchange, payingAccountId }: Partial<Assessment>,
): ScopeFacts =>
  scopeFactsOf(kind, instruction, { soldCurrency: soldCurrency ?? exchange?.sellCurrency, payingAccountId });

async function isApproved(
  deps: PlanDeps,
  row: PayoutRecord,
  asked: SignedQuestion,
  touched: ScopeFacts,
): Promise<boolean> {
  if (!isMakerAllowed(deps, row, touched)) return false;
  if (asked.needed === 0) return !(await isRejected(deps, row, asked, touched));
  return (await verdictOn(deps, row, asked, touched)).verdict === 'approved';
}

/** Names are believed, but count for what they were given to alone. */
async function hasNames(
  { store }: PlanDeps,
  { reference, by }: PayoutRecord,
  { digest, approvalsNeeded }: Asked,
): Promise<boolean> {
  return approvers(await store.approvalsOf(reference, digest), by).length >= approvalsNeeded;
}
