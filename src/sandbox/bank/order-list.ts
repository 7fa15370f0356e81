import type { z } from 'zod';
import type { Page } from '../../bank/schemas/wire.ts';
import { currencyExponent } from '../../domain/currency.ts';
import { parseDecimal } from '../../domain/money.ts';
import type { Parameters } from '../database.ts';
import { badRequest } from '../refusal.ts';
import type { orderListQuery } from '../requests.ts';
import type { Books } from './books.ts';
import { pageRows, progressOf } from './list-progress.ts';
import { type OrderRecord, toOrder } from './order-row.ts';
import { pageOf } from './paging.ts';

/** Query of the order list (interface section 4): bounds are inclusive; `create_at_to` is the interface's spelling. */
type OrderFilter = z.infer<typeof orderListQuery>;

/** The amount in the list's currency: an exchange is listed under both of its currencies. */
const LEG_AMOUNT = 'CASE WHEN currency = :currency THEN amount ELSE buy_amount END';

type Condition = readonly [name: string, sql: string, bound: (filter: OrderFilter) => string | bigint | undefined];

const CONDITIONS: readonly Condition[] = [
  [
    'account_id',
    `(account_id = :account_id OR (type = 'FX' AND counter_account = :account_id))`,
    ({ account_id }) => account_id,
  ],
  ['created_at_from', 'created_at >= :created_at_from', (filter) => timeBound(filter.created_at_from)],
  ['create_at_to', 'created_at <= :create_at_to', (filter) => timeBound(filter.create_at_to)],
  ['amount_from', `${LEG_AMOUNT} >= :amount_from`, (filter) => amountBound(filter.amount_from, filter.currency, 'up')],
  ['amount_to', `${LEG_AMOUNT} <= :amount_to`, (filter) => amountBound(filter.amount_to, filter.currency, 'down')],
  ['order_type', 'type = :order_type', ({ order_type }) => order_type],
];

/** In the profile's order, without orders that are too new for it. Throws 2002 for an invalid time or amount. */
export function listOrders(books: Books, filter: OrderFilter): Page<OrderRecord> {
  const { uid, currency } = filter;
  const { db, profile } = books;
  const values: Parameters = { uid, currency };
  const where = ['uid = :uid', '(currency = :currency OR buy_currency = :currency)'];
  if (profile.listLagMs > 0) {
    values.shown_until = books.now() - profile.listLagMs;
    where.push('created_at <= :shown_until');
  }
  for (const [name, sql, bound] of CONDITIONS) {
    const value = bound(filter);
    if (value === undefined) continue;
    values[name] = value;
    where.push(sql);
  }
  const { pageOrder } = profile;
  const query = { conditions: where, values, direction: pageOrder === 'shuffled' ? undefined : pageOrder };
  const progress = progressOf(db, query);
  const order = orderClause(books);
  const page = pageOf(Number(progress.total), filter, profile.pageCap, (limit, offset) =>
    pageRows(db, progress, query, { limit, offset, order }).map((row) => toOrder(row, profile.references)),
  );
  return profile.listTotal === 'exact' ? page : { ...page, total: page.total + 1 };
}

/** A prime above every `seq`: multiplication modulo it permutes the rows without losing one. */
const SHUFFLE_PRIME = 2_147_483_647;

function orderClause({ profile, nextShuffle }: Books): string {
  switch (profile.pageOrder) {
    case 'newest':
      return 'created_at DESC, seq DESC';
    case 'oldest':
      return 'created_at, seq';
    case 'shuffled':
      return `seq * ${1 + Math.floor(nextShuffle() * (SHUFFLE_PRIME - 1))} % ${SHUFFLE_PRIME}`;
  }
}

function timeBound(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,16}$/.test(text)) throw badRequest('a time is epoch milliseconds');
  return BigInt(text);
}

/** A bound in minor units; if it has more decimals than the currency, it is rounded towards the inside of the range. */
function amountBound(text: string | undefined, currency: string, rounding: 'up' | 'down'): bigint | undefined {
  if (text === undefined) return undefined;
  const bound = parseDecimal(text);
  if (bound === undefined || text.length > 30) throw badRequest('an amount is a decimal');
  const scaled = bound.digits * 10n ** BigInt(currencyExponent(currency) ?? 2);
  const unit = 10n ** BigInt(bound.scale);
  const floor = scaled / unit;
  return rounding === 'up' && floor * unit < scaled ? floor + 1n : floor;
}
