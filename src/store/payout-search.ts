import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Scope } from '../domain/authority.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { PayoutState, ShownState } from '../domain/payout-state.ts';
import { type Database, holding } from './engine/database.ts';
import type { PayoutRecord, Tables } from './schema.ts';

/** Which payouts are meant; all conditions must hold. */
export interface PayoutSearch {
  states?: readonly ShownState[];
  kinds?: readonly PayoutKind[];
  /** Reason code or state, as shown. */
  reason?: string;
  uid?: string;
  /** The instruction's own `id`: with `uid` one payout and those that paid it again. */
  documentId?: string;
  batchId?: string;
  accountId?: string;
  currency?: string;
  /** Created at or after `from` and before `before`, epoch ms. */
  from?: number;
  before?: number;
  /** Ended at or after `endedFrom` and before `endedBefore`. */
  endedFrom?: number;
  endedBefore?: number;
  /** Money was returned. */
  isReturned?: boolean;
  /**
   * Part of an id of the row, of its payee's name or of its file's name, ignoring case; or its amount (`searchedAmount`). Account
   * numbers are not searched.
   */
  text?: string;
  /** Only those that somebody has handed over, and those within one of the scopes. */
  seenBy?: { name: string; scopes: readonly Scope[] };
}

/** By the moment they were claimed, or by amount as a number, whatever the currency. */
export const PAYOUT_ORDERS = ['newest', 'oldest', 'largest', 'smallest'] as const;
export type PayoutOrder = (typeof PAYOUT_ORDERS)[number];

/** A place in the list of one order, behind a row. */
export type PayoutCursor = readonly (string | number)[];

/** A column of an order, and what a row has there. Nothing that changes after the claim: no row moves while others read on. */
interface OrderKey {
  column: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
  of(row: PayoutRecord): string | number;
  /** What a cursor has, comparable with the column. */
  given(value: string | number): RawBuilder<unknown>;
}

const key = (column: string, direction: OrderKey['direction'], of: OrderKey['of']): OrderKey => ({
  column: sql.raw(column),
  direction,
  of,
  given: (value) => sql`${value}`,
});

/** As in the index of lists. */
const ROW_KEY = key('coalesce("row", 0)', 'asc', ({ row }) => row ?? 0);
const REFERENCE_KEY = key('reference', 'asc', ({ reference }) => reference);
const createdKey = (direction: OrderKey['direction']) => key('created_at', direction, ({ createdAt }) => createdAt);
const amountKey = (direction: OrderKey['direction']): OrderKey => ({
  ...key('cast(amount as numeric)', direction, ({ instruction }) => instruction.amount),
  given: (value) => sql`cast(${`${value}`} as numeric)`,
});

const KEYS: Readonly<Record<PayoutOrder, readonly OrderKey[]>> = {
  newest: [createdKey('desc'), ROW_KEY, REFERENCE_KEY],
  oldest: [createdKey('asc'), ROW_KEY, REFERENCE_KEY],
  largest: [amountKey('desc'), REFERENCE_KEY],
  smallest: [amountKey('asc'), REFERENCE_KEY],
};

/** The place of this row, and behind it. */
export const cursorBehind = (row: PayoutRecord, order: PayoutOrder): PayoutCursor =>
  KEYS[order].map(({ of }) => of(row));

/** Whether this was the place behind a row of a list in this order. */
export const isCursor = (given: unknown, order: PayoutOrder): given is PayoutCursor =>
  Array.isArray(given) &&
  given.length === KEYS[order].length &&
  given.every((value, index) => {
    const isText = index === given.length - 1 || KEYS[order].length === 2;
    return isText ? typeof value === 'string' : Number.isSafeInteger(value);
  });

/** Behind the place in all its keys: the first that differs decides. */
function behind(keys: readonly OrderKey[], [value = '', ...others]: PayoutCursor): RawBuilder<SqlBool> {
  const [{ column, direction, given } = REFERENCE_KEY, ...further] = keys;
  const beyond = sql<SqlBool>`${column} ${sql.raw(direction === 'asc' ? '>' : '<')} ${given(value)}`;
  if (further.length === 0) return beyond;
  // The first condition alone lets an index begin there.
  return sql<SqlBool>`(${column} ${sql.raw(direction === 'asc' ? '>=' : '<=')} ${given(value)}
    and (${beyond} or ${behind(further, others)}))`;
}

interface PayoutPage {
  /** Absent: newest first. */
  order?: PayoutOrder;
  /** Only those behind this place; absent: from the first. */
  after?: PayoutCursor;
  /** Only the last ones before the row whose place this is. */
  before?: PayoutCursor;
  limit: number;
}

/**
 * Payouts of all batches and of none, page by page: a row that was there when the first page was read is on exactly one of them,
 * whatever changes meanwhile, unless a condition on its state or end no longer holds. Reads every row unless a condition excludes most.
 */
export async function searchPayouts(
  db: Database,
  search: PayoutSearch,
  { order = 'newest', after, before, limit }: PayoutPage,
): Promise<PayoutRecord[]> {
  const keys = before === undefined ? KEYS[order] : KEYS[order].map(reversed);
  let query = db
    .selectFrom('payouts')
    .selectAll()
    .where((row) => row.and(conditions(row, search)));
  const place = before ?? after;
  if (place !== undefined) query = query.where(behind(keys, place));
  for (const { column, direction } of keys) query = query.orderBy(column, direction);
  const found = await query.limit(limit).execute();
  return before === undefined ? found : found.reverse();
}

const reversed = ({ direction, ...it }: OrderKey): OrderKey => ({
  ...it,
  direction: direction === 'asc' ? 'desc' : 'asc',
});

function conditions(row: ExpressionBuilder<Tables, 'payouts'>, search: PayoutSearch): Expression<SqlBool>[] {
  const { states, kinds, reason, from, before, endedFrom, endedBefore, isReturned, text, seenBy } = search;
  const equal = (['uid', 'documentId', 'batchId', 'accountId', 'currency'] as const).flatMap((column) => {
    const value = search[column];
    return value === undefined ? [] : [row(column, '=', value)];
  });
  return [
    ...equal,
    ...(states === undefined ? [] : [inStates(row, states)]),
    ...(kinds === undefined ? [] : [row('kind', 'in', kinds)]),
    ...(reason === undefined ? [] : [withReason(row, reason)]),
    ...(from === undefined ? [] : [row('createdAt', '>=', from)]),
    ...(before === undefined ? [] : [row('createdAt', '<', before)]),
    ...(endedFrom === undefined ? [] : [row('endedAt', '>=', endedFrom)]),
    ...(endedBefore === undefined ? [] : [row('endedAt', '<', endedBefore)]),
    ...(isReturned === true ? [row('reference', 'in', row.selectFrom('returns').select('reference'))] : []),
    ...(text === undefined ? [] : [holdingText(row, text)]),
    ...(seenBy === undefined
      ? []
      : [row.or([row('by', '=', seenBy.name), ...seenBy.scopes.map((scope) => within(row, scope))])]),
  ];
}

/** By the states that people are shown (`shownStateOf`). */
export function inStates(
  row: ExpressionBuilder<Tables, 'payouts'>,
  states: readonly ShownState[],
): Expression<SqlBool> {
  const stored = states.filter((state) => state !== 'returned');
  const wants = (state: ShownState): boolean => states.includes(state);
  if (wants('returned') === wants('completed'))
    return stored.length === 0 ? row.lit(false) : row('state', 'in', stored);
  const others = stored.filter((state) => state !== 'completed');
  const isReturned = row('returnedAs', '=', 'returned');
  const completed = row.and([
    row('state', '=', 'completed'),
    wants('returned') ? isReturned : row.or([row('returnedAs', 'is', null), row.not(isReturned)]),
  ]);
  return others.length === 0 ? completed : row.or([row('state', 'in', others), completed]);
}

function withReason(row: ExpressionBuilder<Tables, 'payouts'>, reason: string): Expression<SqlBool> {
  const back = row.and([row('state', '=', 'completed'), row('returnedAs', '=', reason as 'returned')]);
  return row.or([
    row('reasonCode', '=', reason),
    reason === 'completed' ? inStates(row, [reason]) : row('state', '=', reason as PayoutState),
    back,
  ]);
}

function holdingText(row: ExpressionBuilder<Tables, 'payouts'>, text: string): Expression<SqlBool> {
  const columns = ['documentId', 'reference', 'orderId', 'uid', 'beneficiaryId', 'payee'] as const;
  const amount = searchedAmount(text);
  return row.or([
    ...columns.map((column) => holding(column, text)),
    row('batchId', 'in', row.selectFrom('batches').select('batchId').where(holding('file', text))),
    row('beneficiaryId', 'in', row.selectFrom('payees').select('payeeId').where(holding('name', text))),
    ...(amount === undefined ? [] : [sql<SqlBool>`cast(amount as numeric) = cast(${amount} as numeric)`]),
  ]);
}

const AMOUNT = /^(?:\d+|\d{1,3}(?:[ ,.'’\u00a0\u202f]\d{3})+)(?:[.,]\d{1,4})?$/;

/** The amount that a text may mean, however its digits are grouped: `1,234.50`, `1.234,50` and `1 234,5` mean 1234.5. */
export function searchedAmount(text: string): string | undefined {
  const digits = text.replace(/\s*[A-Z]{3}$/i, '').trim();
  if (!AMOUNT.test(digits)) return undefined;
  // Three digits behind the only separator are a group.
  const [, whole = digits, fraction] = /^(.*)[.,](\d{1,2}|\d{4})$/.exec(digits) ?? [];
  const plain = whole.replace(/\D/g, '');
  return fraction === undefined ? plain : `${plain}.${fraction}`;
}

/** By its paying account, user, currency and kind; false without a scope. */
function within(
  row: ExpressionBuilder<Tables, 'payouts'>,
  { kinds, uids, accounts, currencies }: Scope,
): Expression<SqlBool> {
  return row.and([
    ...(kinds === undefined ? [] : [row('kind', 'in', kinds)]),
    ...(uids === undefined ? [] : [row('uid', 'in', uids)]),
    ...(accounts === undefined ? [] : [row('accountId', 'in', accounts)]),
    ...(currencies === undefined ? [] : [row('currency', 'in', currencies)]),
  ]);
}

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
