import type { Person, Policy } from './authority.ts';
import { compareDecimals } from './money.ts';
import { PAYOUT_KINDS, type PayoutKind } from './names.ts';
import type { ApprovalRule } from './policy.ts';

/** What makers may submit without anybody's approval and without a limit on its sum. */
export interface Unguarded {
  kinds: readonly PayoutKind[];
  /** Absent: every one that the policy does not name. */
  currency?: string;
  /** Absent: every one that the policy does not name. */
  account?: string;
  /** Decimal: only amounts below it. */
  below?: string;
}

/** One kind of money in the eyes of a policy: an absent currency or account stands for all that it does not name. */
interface Sort {
  kind: PayoutKind;
  currency?: string;
  account?: string;
}

/**
 * Everything within a maker's scope that the policy leaves open: no rule asks for an approval whoever the payee is, or only from
 * an amount on, and no limit per day or account adds it up. A limit per payee does not: there are many payees.
 */
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
  const open = sorts
    .filter((sort) => makers.some((maker) => reaches(maker, sort)) && !isLimited(policy, sort))
    .flatMap(({ kind, currency, account }) => {
      const below = approvedFrom(approvals, { kind, currency, account });
      return below !== undefined && isZero(below) ? [] : [{ kind, currency, account, below }];
    });
  const alike = Map.groupBy(open, ({ kind: _kind, ...rest }) => JSON.stringify(rest));
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

const isZero = (amount: string): boolean => compareDecimals(amount, '0') === 0;

const isLimited = ({ limits }: Policy, { kind, currency }: Sort): boolean =>
  limits.some((limit) => limit.per !== 'payee' && limit.currency === currency && (limit.kinds?.includes(kind) ?? true));
