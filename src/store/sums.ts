import { sql } from 'kysely';
import { buysForItself } from '../domain/instruction.ts';
import { sumDecimals } from '../domain/money.ts';
import type { PayoutState } from '../domain/payout-state.ts';
import { isWhole } from '../domain/returned.ts';
import type { Database } from './engine/database.ts';
import { ownOrWithin, type PayoutSearch } from './payout-search.ts';

export interface PaidAmount {
  endedAt: number;
  currency: string;
  amount: string;
}

type SeenBy = PayoutSearch['seenBy'];

/** Amounts paid at or after `from` and before `before`, less what came back, the oldest first; not those between own accounts. */
export async function paidAmounts(
  db: Database,
  { from, before, seenBy }: { from: number; before: number; seenBy: SeenBy },
  limit: number,
): Promise<PaidAmount[]> {
  const paid = await db
    .selectFrom('payouts')
    .select(['endedAt', 'currency', 'amount', 'cameBack'])
    // As the index has it: SQLite would otherwise use that of lanes and sort the result.
    .where(sql<boolean>`coalesce(state, '') = 'completed'`)
    .where('endedAt', '>=', from)
    .where('endedAt', '<', before)
    .where('kind', '=', 'payout')
    .$if(seenBy !== undefined, (query) => query.where((row) => ownOrWithin(row, seenBy)))
    .orderBy('endedAt')
    .limit(limit)
    .execute();
  return paid.flatMap(({ endedAt, currency, amount, cameBack }) => {
    const back = cameBack?.currency === currency ? cameBack : undefined;
    if (endedAt === null || (back !== undefined && isWhole(back))) return [];
    return [{ endedAt, currency, amount: back?.left ?? amount }];
  });
}

/** The newest payouts of a currency that are read for one kind of them. */
const SETTLED_MAX = 300;

/**
 * How long the newest payouts of a currency and a payment type, ended since then, took from their first send to their end, in ms,
 * in no order.
 */
export async function settlingTimes(
  db: Database,
  { currency, paymentType, since }: { currency: string; paymentType: string | undefined; since: number },
): Promise<number[]> {
  const paid = await db
    .selectFrom('payouts')
    .select(['reference', 'endedAt', 'instruction'])
    // As the index has it.
    .where(sql<boolean>`coalesce(state, '') = 'completed'`)
    .where('endedAt', '>=', since)
    .where('kind', '=', 'payout')
    .where('currency', '=', currency)
    .orderBy('endedAt', 'desc')
    .limit(SETTLED_MAX)
    .execute();
  const alike = new Map(
    paid
      .filter(({ instruction }) => instruction.payment_type === paymentType)
      .map(({ reference, endedAt }) => [reference, Number(endedAt)]),
  );
  if (alike.size === 0) return [];
  const sent = await db
    .selectFrom('sendAttempts')
    .select((row) => ['reference', row.fn.min<number>('sentAt').as('sentAt')])
    .where('reference', 'in', [...alike.keys()])
    .where((row) => row.or([row('outcome', 'is', null), row('outcome', '!=', 'not-sent')]))
    .groupBy('reference')
    .execute();
  return sent.map(({ reference, sentAt }) => Math.max(0, (alike.get(reference) ?? sentAt) - sentAt));
}

export interface OpenCount {
  state: PayoutState;
  /** Position of the first of `since` at or after which they were claimed; its length: before all of them. */
  age: number;
  count: number;
}

/** Payouts without an end, counted by state and age. @param since epoch ms, descending */
export async function openCounts(db: Database, since: readonly number[], seenBy: SeenBy): Promise<OpenCount[]> {
  const cases = since.map((at, n) => sql`when created_at >= ${at} then ${sql.lit(n)}`);
  const age = sql<number>`case ${sql.join(cases, sql` `)} else ${sql.lit(since.length)} end`;
  const counts = await db
    .selectFrom('payouts')
    .select((row) => ['state', age.as('age'), row.fn.countAll<number>().as('count')])
    .where('endedAt', 'is', null)
    .$if(seenBy !== undefined, (query) => query.where((row) => ownOrWithin(row, seenBy)))
    .groupBy(['state', sql`2`])
    .execute();
  return counts.map(({ state, age: at, count }) => ({ state, age: Number(at), count: Number(count) }));
}

/** An open payout as far as it takes money from an account. */
export interface OpenNeed {
  uid: string;
  accountId: string;
  currency: string;
  amount: string;
  hasOrder: boolean;
  executeOn: string | undefined;
}

/**
 * Payouts without an end, and moves between own accounts, in no order. A payout for which an exchange of its batch buys the money
 * takes nothing while the exchange is open, and after it from the account that holds what was bought.
 */
export async function openNeeds(db: Database, seenBy: SeenBy, limit: number): Promise<OpenNeed[]> {
  const open = await db
    .selectFrom('payouts')
    .select(['kind', 'reference', 'uid', 'accountId', 'currency', 'amount', 'orderId', 'instruction'])
    .where('endedAt', 'is', null)
    .$if(seenBy !== undefined, (query) => query.where((row) => ownOrWithin(row, seenBy)))
    .limit(limit)
    .execute();
  const references = new Set(open.map(({ reference }) => reference));
  return open.flatMap(({ kind, uid, accountId: named, currency, amount, orderId, instruction }) => {
    const { exchanged_by: by, paying_account_id: paying, execute_on: executeOn } = instruction;
    const accountId = kind !== 'payout' || buysForItself(instruction) ? named : paying;
    if (accountId == null || (by !== undefined && references.has(by))) return [];
    return [{ uid, accountId, currency, amount, hasOrder: orderId !== null, executeOn }];
  });
}

const OPEN_MAX = 100_000;

/**
 * What open payouts may take from an account: all of its user in its currency, since what others have bought may be on it. Undefined
 * if that is not known: something is sold from it, or there are too many.
 */
export async function openOn(
  db: Database,
  { uid, accountId, currency }: { uid: string; accountId: string; currency: string },
): Promise<{ count: number; amount: string } | undefined> {
  const open = await db
    .selectFrom('payouts')
    .select(['currency', 'amount'])
    .where('endedAt', 'is', null)
    .where('uid', '=', uid)
    .where((row) =>
      row.or([
        row('accountId', '=', accountId),
        row.and([row('currency', '=', currency), row('kind', '!=', 'exchange')]),
      ]),
    )
    .limit(OPEN_MAX)
    .execute();
  if (open.length === OPEN_MAX || open.some((row) => row.currency !== currency)) return undefined;
  return { count: open.length, amount: sumDecimals(open.map(({ amount }) => amount)) };
}
