import { sql } from 'kysely';
import { END_STATES, type Reason, UNPAID_STATES, type UnpaidState } from '../domain/payout-state.ts';
import type { SentCardRequest, SentOrder } from '../domain/sent-order.ts';
import { inDoubt, SENDER_LIFE_MS } from '../domain/submission.ts';
import { audit } from './audit-log.ts';
import { json } from './engine/column-dialect.ts';
import type { Database } from './engine/database.ts';
import { inChunks, insertNew, met } from './engine/database.ts';
import { inShortTransaction, LOCKS, write } from './engine/groups.ts';
import { sentEntry } from './money-detail.ts';
import { type HeldClaim, recordEnds, stateColumns } from './payouts.ts';
import type { AttemptOutcome, PayoutRecord, Resolved, SendAttempt } from './schema.ts';

interface NewAttempt {
  reference: string;
  attempt: number;
  runId: string;
  activityId: string;
  sentAt: number;
  listedFrom?: number;
  request?: SentOrder | SentCardRequest;
  claim?: HeldClaim;
  /** The bank's "accepted" or "exists" is final: no further attempt may begin after it. */
  isFinal?: boolean;
}

/**
 * Whether the attempt may be made. `superseded`: the run no longer holds the claim, or the payout has an end. `notified`: the bank
 * has it, as another sender recorded, perhaps only now.
 */
type AttemptBegun = 'begun' | 'superseded' | 'notified' | GivesWay;

/**
 * Nothing was recorded because of attempt `to`. `taken`: its number is the same or higher. `live`: its sender may still be about
 * to send.
 */
interface GivesWay {
  to: number;
  because: 'taken' | 'live';
}

export interface AttemptResult {
  outcome: AttemptOutcome;
  orderId?: string;
  code?: number;
  /** When it was known, epoch ms; absent: nobody has noted it. */
  at?: number;
}

/** Outcome of all attempts of a reference up to a number. */
interface ResolvedUpTo {
  upTo: number;
  as: Resolved;
}

/** An end without money, and what the run has resolved of what it sent. */
interface UnpaidEnd extends HeldClaim {
  state: UnpaidState;
  reason: Reason;
  /** By reference: attempts up to this number are resolved, and as what. References not named are not resolved. */
  resolved: Record<string, ResolvedUpTo>;
  /** Every reference sent for the payout. */
  references: readonly string[];
  /** The person who decided it, if any. */
  by?: string;
  at: number;
}

/**
 * `superseded`: the run does not hold the claim. `in-doubt`: an attempt that it has not resolved may have moved money. Nothing is
 * written in either case.
 */
type Closing = 'closed' | 'superseded' | 'in-doubt';

/**
 * Records an attempt; durable when it returns. Under a claim, only its holder may begin one, and only while the payout has no
 * end.
 *
 * Recording and closing exclude each other on the payout's row: either the close sees the attempt, or the attempt sees that it is
 * too late.
 */
export function recordAttempt(db: Database, attempt: NewAttempt): Promise<AttemptBegun> {
  return inShortTransaction(db, LOCKS.logs, async (transaction) => {
    const { claim, isFinal = false, request, ...row } = attempt;
    const { reference, sentAt } = row;
    const soldCurrency = request != null && 'sellCurrency' in request ? request.sellCurrency : undefined;
    if (claim !== undefined && !(await holds(transaction, claim, { updatedAt: sentAt, soldCurrency }))) {
      return 'superseded';
    }
    const made = await attempts(transaction, reference);
    const taken = made.findLast((other) => other.attempt >= row.attempt);
    if (taken !== undefined) return { to: taken.attempt, because: 'taken' };
    const live = made.findLast((other) => other.outcome === null && sentAt - other.sentAt < SENDER_LIFE_MS);
    if (live !== undefined) return { to: live.attempt, because: 'live' };
    if (isFinal && made.some(({ outcome }) => outcome === 'accepted' || outcome === 'exists')) return 'notified';
    const count = await insertNew(transaction, 'sendAttempts', { ...row, request: json(request ?? null) });
    if (count === 0) return { to: row.attempt, because: 'taken' };
    if (claim !== undefined && request != null && 'amount' in request) {
      await audit(transaction, sentEntry(claim.reference, row, request));
    }
    return 'begun';
  });
}

/** An order that was sent to the bank. */
export interface HandedToBank {
  /** Of the order: that of its payout, or of the exchange before it. */
  reference: string;
  kind: PayoutRecord['kind'];
  amount: string;
  /** The debited account; after an exchange not the one its row names. */
  accountId: string | null;
  /** Beneficiary id, or the receiving account. */
  payee: string | undefined;
  sentAt: number;
}

/**
 * Orders sent since then that move the currency, once each, unless they are known to have moved nothing. What an exchange sells
 * counts as well, one before a payout too.
 */
export async function handedToBank(
  db: Database,
  { currency, since }: { currency: string; since: number },
): Promise<HandedToBank[]> {
  const sells = sql<boolean>`request like ${`%"sellCurrency":"${currency}"%`}`;
  const rows = await db
    .selectFrom('sendAttempts')
    .leftJoin('payouts', 'payouts.reference', 'sendAttempts.reference')
    .select(['sendAttempts.reference', 'payouts.kind', 'payouts.currency', 'payouts.amount', 'payouts.accountId'])
    .select(['request', 'sentAt', 'resolved'])
    .where('sendAttempts.sentAt', '>=', since)
    .where((row) => row.or([row('payouts.currency', '=', currency), sells]))
    .where((row) => row.or([row('payouts.state', 'is', null), row('payouts.state', 'not in', UNPAID_STATES)]))
    .where((row) =>
      row.or([row('sendAttempts.outcome', 'is', null), row('sendAttempts.outcome', 'not in', ['not-sent', 'refused'])]),
    )
    .orderBy('sentAt')
    .execute();
  const moved = rows.filter(({ resolved }) => resolved !== 'absent' && resolved !== 'unpaid');
  const once = new Map(moved.map((row) => [row.reference, row]));
  return [...once.values()].flatMap(({ reference, request, currency: own, kind, amount, accountId, sentAt }) => {
    const about = { reference, kind: kind ?? ('payout' as const), payee: payeeOf(request), sentAt };
    const sold = request !== null && 'sellCurrency' in request && request.sellCurrency === currency;
    if (sold) return [{ ...about, amount: request.quotedSellAmount, accountId: request.sellAccountId }];
    if (own !== currency || amount === null) return [];
    const paying = request !== null && 'accountId' in request ? request.accountId : accountId;
    return [{ ...about, amount: request !== null && 'amount' in request ? request.amount : amount, accountId: paying }];
  });
}

function payeeOf(request: SendAttempt['request']): string | undefined {
  if (request === null) return undefined;
  if ('beneficiaryId' in request) return request.beneficiaryId;
  if ('destinationAccountId' in request) return request.destinationAccountId;
  return 'buyAccountId' in request ? request.buyAccountId : undefined;
}

/** Locks the row of the payout until the end of the transaction, in the one way both databases know. */
async function holds(
  db: Database,
  claim: HeldClaim,
  columns: { updatedAt: number; soldCurrency?: string },
): Promise<boolean> {
  const held = db
    .updateTable('payouts')
    .set(columns)
    .where('reference', '=', claim.reference)
    .where('term', '=', claim.term)
    .where('state', 'not in', END_STATES);
  return met(held);
}

/** Counts for any holder of the claim by now. An accepted or existing order revokes `absent`. */
export async function finishAttempt(
  db: Database,
  reference: string,
  attempt: number,
  result: AttemptResult,
): Promise<void> {
  const opensAgain = result.outcome === 'accepted' || result.outcome === 'exists';
  await write(db, LOCKS.itsRows, (into) =>
    into
      .updateTable('sendAttempts')
      .set(({ case: when, ref }) => ({
        outcome: result.outcome,
        orderId: result.orderId,
        code: result.code,
        answeredAt: result.at,
        ...(opensAgain && { resolved: when().when('resolved', '=', 'absent').then(null).else(ref('resolved')).end() }),
      }))
      .where('reference', '=', reference)
      .where('attempt', '=', attempt)
      .execute(),
  );
}

export async function resolveAttempts(db: Database, reference: string, { upTo, as }: ResolvedUpTo): Promise<void> {
  await db
    .updateTable('sendAttempts')
    .set({ resolved: as })
    .where('reference', '=', reference)
    .where('attempt', '<=', upTo)
    .execute();
}

/** Stores an unpaid end by compare-and-set, unless an attempt that the run has not resolved may have moved money. */
export function closeUnpaid(db: Database, end: UnpaidEnd): Promise<Closing> {
  return inShortTransaction(db, LOCKS.logs, async (transaction) => {
    if (!(await holds(transaction, end, { updatedAt: end.at }))) return 'superseded';
    const open = inDoubt(await attemptsOf(transaction, end.references)).filter(
      (attempt) => !isResolvedBy(end.resolved[attempt.reference], attempt),
    );
    if (open.length > 0) return 'in-doubt';
    for (const [reference, resolved] of Object.entries(end.resolved)) {
      await resolveAttempts(transaction, reference, resolved);
    }
    const { state, reason, at } = end;
    const row = await transaction
      .updateTable('payouts')
      // The fee shown while the order was open was not charged.
      .set({ ...stateColumns(state, reason, at), fee: null, feeCurrency: null })
      .where('reference', '=', end.reference)
      .returning(['assessed', 'uid'])
      .executeTakeFirstOrThrow();
    await transaction.deleteFrom('openOrders').where('reference', 'in', end.references).execute();
    await recordEnds(transaction, [{ ...end, ...row }]);
    return 'closed';
  });
}

/** An accepted order is not absent, even if the run proved absence before it knew. */
const isResolvedBy = (resolved: ResolvedUpTo | undefined, { attempt, outcome }: SendAttempt): boolean =>
  resolved !== undefined && attempt <= resolved.upTo && !(resolved.as === 'absent' && outcome === 'accepted');

export function attempts(db: Database, reference: string): Promise<SendAttempt[]> {
  return attemptsOf(db, [reference]);
}

/** Attempts recorded under any of these references, oldest first. */
export function attemptsOf(db: Database, references: readonly string[]): Promise<SendAttempt[]> {
  const query = db.selectFrom('sendAttempts').selectAll().orderBy('sentAt').orderBy('attempt');
  return inChunks(references, (some) => query.where('reference', 'in', some).execute());
}

/**
 * The order that the bank accepted last; `in-doubt`: it accepted none that is known, and may have made one. Undefined: no order was
 * sent that could exist.
 */
export async function lastOrder(
  db: Database,
): Promise<{ reference: string; orderId: string } | 'in-doubt' | undefined> {
  const orders = db
    .selectFrom('sendAttempts')
    .select(['reference', 'orderId'])
    .where('listedFrom', 'is not', null)
    .orderBy('sentAt', 'desc')
    .orderBy('reference')
    .limit(1);
  const accepted = await orders.where('outcome', '=', 'accepted').where('orderId', 'is not', null).executeTakeFirst();
  if (accepted?.orderId) return { reference: accepted.reference, orderId: accepted.orderId };
  const isPossible = orders.where((row) =>
    row.or([row('outcome', 'is', null), row('outcome', 'not in', ['not-sent', 'refused'])]),
  );
  return (await isPossible.executeTakeFirst()) && 'in-doubt';
}
