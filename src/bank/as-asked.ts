import { LIST_DOUBTS, type ListDoubt } from '../domain/absence.ts';
import type { Order, OrderQuery } from './schemas/orders.ts';
import { inCapitals, type Page } from './schemas/wire.ts';

/** Whether `created_at_from` is inclusive, and its precision, are not shown (interface section 4). */
const BOUND_MS = 1_000;
/** A bank may stamp orders in the local time of a zone, at most this far behind the time in its answers. */
export const ZONE_BEHIND_MS = 12 * 3_600_000;

/**
 * A page of the order list, compared with what was asked for: a cache or a gateway may answer with another list. Orders of another
 * user, currency or account are left out, so that nobody takes them for ours; one outside the other filters stays, as it is of
 * this user all the same. Members that are not shown prove nothing. The upper bound `create_at_to` is not compared: what is
 * read under it proves nothing by itself (`busy-list.ts`).
 */
export function asAsked(query: OrderQuery, page: Page<Order>): Page<Order> {
  const foreign = page.records.map((order) => isForeign(order, query));
  const doubts = page.records.map((order, index) => foreign[index] ?? unlikeAsked(order, query));
  return {
    ...page,
    records: page.records.filter((_, index) => foreign[index] === undefined),
    doubt: page.doubt ?? doubts.find((doubt) => doubt !== undefined),
  };
}

function isForeign(order: Order, { uid, currency, account_id: account }: OrderQuery): ListDoubt | undefined {
  const { transaction_uid, transaction_currency, sell_currency, buy_currency } = order;
  // A transfer may be listed for either of its users.
  if (isOther([transaction_uid], uid) && !isTransfer(order)) return LIST_DOUBTS.user;
  // An exchange is listed in both its currencies.
  if (isOther([transaction_currency, sell_currency, buy_currency], inCapitals(currency))) return LIST_DOUBTS.currency;
  if (account === undefined) return undefined;
  return isOther([order.transaction_account, order.sell_account, order.buy_account], account)
    ? LIST_DOUBTS.account
    : undefined;
}

function unlikeAsked(order: Order, query: OrderQuery): ListDoubt | undefined {
  const { type, created_at: at, unreadable = [] } = order;
  const { order_type, created_at_from: from = 0 } = query;
  const currencies = ['transaction_currency', 'sell_currency', 'buy_currency'] as const;
  const isReadable = currencies.some((member) => order[member] !== undefined);
  const compared = ['transaction_uid', ...(isReadable ? [] : currencies)];
  if (compared.some((member) => unreadable.includes(member))) return LIST_DOUBTS.record;
  if (order_type !== undefined && isOther([type], inCapitals(order_type))) return LIST_DOUBTS.type;
  return at !== undefined && at < from - ZONE_BEHIND_MS - BOUND_MS ? LIST_DOUBTS.time : undefined;
}

const isTransfer = ({ type, payment_type }: Order): boolean =>
  type === 'TRANSFER' || (type === undefined && payment_type === 'inner');

/** Something is shown, and none of it is what was asked for. */
function isOther(shown: readonly (string | undefined)[], asked: string): boolean {
  const some = shown.filter((value) => value !== undefined);
  return some.length > 0 && !some.includes(asked);
}
