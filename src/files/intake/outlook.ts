import type { Bank } from '../../bank/bank.ts';
import { approvalsAsked } from '../../domain/authority.ts';
import { type BusinessCalendar, dueDate, valueDay } from '../../domain/business-days.ts';
import { compareDecimals } from '../../domain/money.ts';
import { approvalsNeeded } from '../../domain/policy.ts';
import { isoDate } from '../../domain/time.ts';
import type { ClaimRow } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import { type Costs, costsOf } from './costs.ts';
import type { QuotedExchange } from './exchange-quotes.ts';
import type { MakerRules } from './maker.ts';
import type { Plan } from './plan.ts';
import type { StagedFile } from './staged-file.ts';

/** Forecasts for a plan, from the bank and our rules: not binding, and not part of the plan's hash. */
export interface Outlook extends Costs {
  approvals: ApprovalsAhead;
  /** By the calendar: payouts that are sent at once and count for a later day. */
  later: CountedLater[];
}

export const outlookOf = async (
  bank: Bank,
  terms: ApprovalTerms & { calendar: BusinessCalendar | undefined },
  { staged, ...planned }: { plan: Plan; staged: StagedFile; quotes: readonly QuotedExchange[] },
  now: number,
): Promise<Outlook> => ({
  ...(await costsOf(bank, { staged, ...planned }, terms.baseCurrency)),
  approvals: await approvalsAhead(terms, itemsInTurns(staged.claims())),
  later: terms.calendar === undefined ? [] : await countedLater(itemsInTurns(staged.claims()), terms.calendar, now),
});

export interface CountedLater {
  currency: string;
  payouts: number;
  /** ISO date. */
  valueDate: string;
  why: 'after-cut-off' | 'closed-day';
  /** `15:30 Europe/Berlin`; null: the day is closed. */
  cutOff: string | null;
}

/** @param now when they are sent, epoch ms */
export async function countedLater(
  claims: Iterable<ClaimRow> | AsyncIterable<ClaimRow>,
  calendar: BusinessCalendar,
  now: number,
): Promise<CountedLater[]> {
  const found = new Map<string, CountedLater>();
  const today = isoDate(now);
  for await (const { instruction } of claims) {
    const { currency, execute_on: executeOn, payment_type } = instruction;
    if (executeOn !== undefined && dueDate(executeOn, currency, calendar) > today) continue;
    const { date, late, cutOff } = valueDay(now, { currency, ...(payment_type && { payment_type }) }, calendar);
    if (late === undefined) continue;
    const named = late === 'closed-day' || cutOff === undefined ? null : `${cutOff.at} ${cutOff.zone}`;
    const key = JSON.stringify([currency, date, named]);
    const payouts = (found.get(key)?.payouts ?? 0) + 1;
    found.set(key, { currency, payouts, valueDate: date, why: late, cutOff: named });
  }
  return [...found.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

/** Approvals that the payouts of a plan will need, as far as their rows show. */
interface ApprovalsAhead {
  /** Before sending; without payouts that need no approval. */
  beforeSend: PeopleAsked[];
  /** After sending: payouts whose amount the bank audits. */
  atBank: PeopleAsked[];
  /** Payouts that need more people if their payee turns out to be new or changed. */
  moreByPayee: number;
}

interface PeopleAsked {
  people: number;
  payouts: number;
}

export interface ApprovalTerms extends MakerRules {
  /** Decimals by currency: amounts from which the bank audits an order; nothing is predicted for other currencies. */
  bankAuditsFrom: Readonly<Record<string, string>>;
  /** Currency in which the plan adds everything up; absent: it does not. */
  baseCurrency?: string | undefined;
  /** No row has its maker's signature, so each asks one person at least. */
  asksOne?: boolean;
}

/** A payee given by its details counts as new: its payout adds it. */
export async function approvalsAhead(
  terms: ApprovalTerms,
  claims: Iterable<ClaimRow> | AsyncIterable<ClaimRow>,
): Promise<ApprovalsAhead> {
  const [beforeSend, atBank] = [new Map<number, number>(), new Map<number, number>()];
  let moreByPayee = 0;
  for await (const { instruction } of claims) {
    const { account_id: accountId, amount, currency, beneficiary_id: payeeId } = instruction;
    const asked = { kind: 'payout', accountId, amount, currency, newPayee: payeeId === undefined } as const;
    const unchanged = people(terms, { ...asked, changedPayee: false });
    const atMost = people(terms, { ...asked, newPayee: true, changedPayee: payeeId !== undefined });
    const isAudited = (compareDecimals(amount, terms.bankAuditsFrom[currency] ?? '') ?? -1) >= 0;
    if (unchanged.beforeSend > 0) count(beforeSend, unchanged.beforeSend);
    if (isAudited) count(atBank, Math.max(1, unchanged.atBank));
    if (atMost.beforeSend > unchanged.beforeSend || (isAudited && atMost.atBank > Math.max(1, unchanged.atBank)))
      moreByPayee += 1;
  }
  return { beforeSend: listed(beforeSend), atBank: listed(atBank), moreByPayee };
}

type Asked = Parameters<typeof approvalsAsked>[1];

function people(
  { policy, approvalRules, asksOne = false }: ApprovalTerms,
  asked: Asked,
): { beforeSend: number; atBank: number } {
  if (policy === undefined) return { beforeSend: approvalsNeeded(approvalRules, asked), atBank: 0 };
  return {
    beforeSend: Math.max(asksOne ? 1 : 0, approvalsAsked(policy, asked, 'before-submit')),
    atBank: approvalsAsked(policy, asked, 'at-bank'),
  };
}

const count = (counts: Map<number, number>, key: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const listed = (counts: ReadonlyMap<number, number>): PeopleAsked[] =>
  [...counts].map(([asked, payouts]) => ({ people: asked, payouts })).sort((a, b) => a.people - b.people);
