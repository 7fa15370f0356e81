import type { Person, Policy } from './authority.ts';
import { compareDecimals } from './money.ts';
import { PAYOUT_KINDS, type PayoutKind } from './names.ts';
import type { ApprovalRule } from './policy.ts';

/** What makers may submit without a rule that asks for an approval, or without a limit on its sum. */
export interface Unguarded {
  kinds: readonly PayoutKind[];
  /** Absent: every one that the policy does not name. */
  currency?: string;
  /** Absent: every one that the policy does not name. */
  account?: string;
  /** Decimal amount from which somebody must approve, whoever the payee is; absent: nobody ever must. */
  approvedFrom?: string;
  /** Whether a limit per day or account adds it up. One per payee does not: there are many payees. */
  isLimited: boolean;
}

/** Whether a maker alone may pay any sum of it. */
export const isOpen = ({ approvedFrom, isLimited }: Pick<Unguarded, 'approvedFrom' | 'isLimited'>): boolean =>
  !isLimited && (approvedFrom === undefined || compareDecimals(approvedFrom, '0') !== 0);

/** One kind of money in the eyes of a policy: an absent currency or account stands for all that it does not name. */
interface Sort {
  kind: PayoutKind;
  currency?: string;
  account?: string;
}

/** Everything within a maker's scope for which the policy has no rule, or no limit. */
export function unguarded(policy: Policy): Unguarded[] {
  const makers = policy.people.filter(({ roles }) => roles.includes('maker'));
  const named = (lists: (readonly string[] | undefined)[]): (string | undefined)[] => [
    ...[...new Set(lists.flatMap((list) => list ?? []))].sort(),
    undefined,
  ];
  const { approvals, limits } = policy;
  const currencies = named([
    ...[...approvals, ...limits].map(({ currency }) => (currency === undefined ? [] : [currency])),
    ...makers.map(({ scope }) => scope.currencies),
  ]);
  const accounts = named([
    ...approvals.map(({ account }) => (account === undefined ? [] : [account])),
    ...makers.map(({ scope }) => scope.accounts),
  ]);
  const sorts = accounts.flatMap((account) =>
    currencies.flatMap((currency) => PAYOUT_KINDS.map((kind): Sort => ({ kind, currency, account }))),
  );
  const lacking = sorts
    .filter((sort) => makers.some((maker) => reaches(maker, sort)))
    .map((sort) => ({ ...sort, approvedFrom: approvedFrom(approvals, sort), isLimited: isLimited(policy, sort) }))
    .filter((guards) => guards.approvedFrom === undefined || !guards.isLimited);
  const alike = Map.groupBy(lacking, ({ kind: _kind, ...rest }) => JSON.stringify(rest));
  return [...alike].map(([rest, same]) => ({ kinds: same.map(({ kind }) => kind), ...JSON.parse(rest) }));
}

/** Whether the maker's scope holds some of it. */
function reaches({ scope }: Person, { kind, currency, account }: Sort): boolean {
  const holds = (list: readonly string[] | undefined, value: string | undefined): boolean =>
    list === undefined || (value !== undefined && list.includes(value));
  return holds(scope.kinds, kind) && holds(scope.currencies, currency) && holds(scope.accounts, account);
}

/** The amount from which somebody must approve before it is sent, whoever the payee is; undefined: nobody ever must. */
function approvedFrom(rules: readonly ApprovalRule[], sort: Sort): string | undefined {
  const [lowest] = rules
    .filter(({ where, newPayee, changedPayee }) => where !== 'at-bank' && newPayee !== true && changedPayee !== true)
    .filter(({ kinds }) => kinds?.includes(sort.kind) ?? true)
    .filter(({ currency }) => currency === undefined || currency === sort.currency)
    .filter(({ account }) => account === undefined || account === sort.account)
    .map(({ amountAtLeast }) => amountAtLeast ?? '0')
    .sort((a, b) => compareDecimals(a, b) ?? 0);
  return lowest;
}

const isLimited = ({ limits }: Policy, { kind, currency }: Sort): boolean =>
  limits.some((limit) => limit.per !== 'payee' && limit.currency === currency && (limit.kinds?.includes(kind) ?? true));
