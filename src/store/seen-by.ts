import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Scope } from '../domain/authority.ts';
import { type PayoutSearch, within } from './payout-search.ts';
import type { Tables } from './schema.ts';

/**
 * Nothing outside the scope is added up: a row that may have a second account, or sells another currency, counts only for a scope
 * without accounts, or with that currency.
 */
export function ownOrWithin(
  row: ExpressionBuilder<Tables, 'payouts'>,
  seenBy: PayoutSearch['seenBy'],
): Expression<SqlBool> {
  const { name = '', scopes = [] } = seenBy ?? {};
  return row.or([row('by', '=', name), ...scopes.map((scope) => wholeWithin(row, scope))]);
}

const wholeWithin = (row: ExpressionBuilder<Tables, 'payouts'>, scope: Scope): Expression<SqlBool> =>
  row.and([
    within(row, scope),
    ...(scope.accounts === undefined ? [] : [row('kind', '=', 'payout'), row('soldCurrency', 'is', null)]),
    ...(scope.currencies === undefined
      ? []
      : [row.or([row('soldCurrency', 'is', null), row('soldCurrency', 'in', scope.currencies)])]),
  ]);
