import { hash } from 'node:crypto';
import { currencyExponent, formatMinor, parseDecimal } from '../domain/money.ts';
import { isEnd } from '../domain/payout-state.ts';
import { incidentText, type WhatDiffers } from '../domain/reconciliation.ts';
import type { ExchangeOrder } from '../domain/sent-order.ts';
import { amountPaid } from '../domain/sent-order.ts';
import { inDoubt, orderAsked, orderToRepeat } from '../domain/submission.ts';
import type { BookedExchange, PaidOrderRecord, PayoutRecord, ReturnSeen, SendAttempt } from '../store/store.ts';

/** What the orders of a payout moved, as far as known: the content of journal and advice (camt.054). Pure. */

export type MovementKind = 'payment' | 'fee' | 'exchange' | 'return';

/** Money that left an account of ours (`debit`) or came to it (`credit`). */
export interface Posting {
  direction: 'debit' | 'credit';
  /** The bank's id of the account. */
  accountId: string;
  /** Decimal string, above zero, with the decimals of its currency. */
  amount: string;
  currency: string;
}

export interface Movement {
  /** At most 35 characters; a movement has the same id every time and in every format. */
  id: string;
  kind: MovementKind;
  /** An exchange has two: what was sold, then what was bought. */
  postings: Posting[];
  orderId: string | null;
  /** Epoch ms: when it was observed. */
  at: number;
}

/** A movement that may differ from what is known: left out of every journal, for people to check. */
export interface Unclear {
  reference: string;
  documentId: string;
  kind: MovementKind;
  /** One sentence without values of the row. */
  why: string;
}

/** A payout and what the store knows about it. */
export interface MovedFacts {
  payout: PayoutRecord;
  /** Under its own reference. */
  attempts: readonly SendAttempt[];
  /** Under the reference derived for its exchange. */
  exchangeAttempts: readonly SendAttempt[];
  exchange: BookedExchange | undefined;
  /** Undefined: not completed, or the bank's order was never seen. */
  paid: PaidOrderRecord | undefined;
  /** The oldest first. */
  returns: readonly ReturnSeen[];
  incidents: readonly WhatDiffers[];
}

export interface Moved {
  payout: PayoutRecord;
  /** In order of occurrence: exchange, payment, fees, returns. */
  movements: Movement[];
  unclear: Unclear[];
}

export function movedBy(facts: MovedFacts): Moved {
  const { payout, exchange } = facts;
  const known: Known[] = [
    ...(exchange === undefined ? unbooked(facts) : exchanged(facts, exchange)),
    ...paid(facts),
    ...facts.returns.map((entry) => returned(facts, entry)),
    ...facts.incidents.map((incident): Known => ({ kind: 'payment', why: incidentText(incident) })),
  ];
  return {
    payout,
    movements: known.flatMap((it) => ('why' in it ? [] : [{ ...it, id: movementId(payout, it) }])),
    unclear: known.flatMap((it) =>
      'why' in it ? [{ reference: payout.reference, documentId: payout.documentId, kind: it.kind, why: it.why }] : [],
    ),
  };
}

/** A movement whose id is still only a suffix, or why there is none. */
type Known = Movement | Pick<Unclear, 'kind' | 'why'>;

const AMOUNT_UNFIT = 'its amount has more decimals than its currency or the format allows';
const AMOUNT_UNKNOWN = 'the bank does not show what was paid, and the order as it was sent is not known';
const SOLD_UNKNOWN = 'the bank does not show what was sold';
const ACCOUNT_UNKNOWN = 'it is in a currency for which the payout has no account';

function exchanged(facts: MovedFacts, booked: BookedExchange): Known[] {
  const { orderId, fee, feeCurrency, seenAt: at, soldAmount, soldCurrency } = booked;
  const sent = sentExchange(facts);
  if (sent === undefined || soldAmount === null) return [{ kind: 'exchange', why: SOLD_UNKNOWN }];
  const sold = posting('debit', sent.sellAccountId, soldAmount, soldCurrency ?? sent.sellCurrency);
  // The amount bought is the one requested: an order with another amount is not adopted.
  const bought = posting('credit', sent.buyAccountId, booked.boughtAmount ?? sent.amount, sent.currency);
  if (sold === undefined || bought === undefined) return [{ kind: 'exchange', why: AMOUNT_UNFIT }];
  const accounts = new Map([sold, bought].map(({ currency, accountId }) => [currency, accountId]));
  return [
    { id: 'X', kind: 'exchange', postings: [sold, bought], orderId, at },
    ...charged('XF', { fee, feeCurrency, accounts, orderId, at }),
  ];
}

/** For an exchange that is known to be booked, but not at what rate. */
function unbooked({ exchangeAttempts }: MovedFacts): Known[] {
  if (exchangeAttempts.some(({ resolved }) => resolved === 'paid')) {
    return [{ kind: 'exchange', why: SOLD_UNKNOWN }];
  }
  return inDoubt(exchangeAttempts).length === 0 ? [] : [{ kind: 'exchange', why: UNDER_WAY }];
}

const UNDER_WAY = 'it was sent, but its outcome is not known yet';

function paid(facts: MovedFacts): Known[] {
  const { payout, attempts } = facts;
  const { kind, state, orderId, fee, feeCurrency } = payout;
  if (kind === 'exchange') return [];
  if (state !== 'completed') {
    return isEnd(state) || inDoubt(attempts).length === 0 ? [] : [{ kind: 'payment', why: UNDER_WAY }];
  }
  const moved = amountPaid(facts.paid, orderToRepeat(attempts), payout);
  if (moved === undefined) return [{ kind: 'payment', why: AMOUNT_UNKNOWN }];
  const { amount, currency } = moved;
  const accounts = accountsOf(facts);
  const at = payout.endedAt ?? payout.updatedAt;
  const left = posting('debit', accounts.get(currency) ?? '', amount, currency);
  if (left === undefined) return [{ kind: 'payment', why: AMOUNT_UNFIT }];
  return [
    { id: 'P', kind: 'payment', postings: [left], orderId, at },
    ...charged('F', { fee, feeCurrency, accounts, orderId, at }),
  ];
}

function charged(
  id: string,
  charge: Pick<PayoutRecord, 'fee' | 'feeCurrency' | 'orderId'> & { accounts: ReadonlyMap<string, string>; at: number },
): Known[] {
  const { fee, feeCurrency, accounts, orderId, at } = charge;
  if (fee === null || parseDecimal(fee)?.digits === 0n) return [];
  const accountId = accounts.get(feeCurrency ?? '');
  if (feeCurrency === null || accountId === undefined) return [{ kind: 'fee', why: ACCOUNT_UNKNOWN }];
  const left = posting('debit', accountId, fee, feeCurrency);
  if (left === undefined) return [{ kind: 'fee', why: AMOUNT_UNFIT }];
  return [{ id, kind: 'fee', postings: [left], orderId, at }];
}

/**
 * A payout has one movement of each kind, except returns: each of these is identified by its order, in any order in which they are
 * seen.
 */
function movementId({ reference }: PayoutRecord, { id, kind, orderId }: Movement): string {
  const of =
    kind === 'return'
      ? hash('sha256', JSON.stringify([reference, orderId])).slice(0, 32)
      : reference.replaceAll('-', '');
  return `${of}-${id}`;
}

function returned(facts: MovedFacts, { orderId, amount, currency, seenAt: at }: ReturnSeen): Known {
  const accountId = accountsOf(facts).get(currency);
  if (accountId === undefined) return { kind: 'return', why: ACCOUNT_UNKNOWN };
  const came = posting('credit', accountId, amount, currency);
  if (came === undefined) return { kind: 'return', why: AMOUNT_UNFIT };
  return { id: 'R', kind: 'return', postings: [came], orderId, at };
}

/** Accounts of a payout by currency: the paying one, and the one from which its exchange was sold. */
function accountsOf(facts: MovedFacts): ReadonlyMap<string, string> {
  const { instruction, assessed } = facts.payout;
  const sent = orderToRepeat(facts.attempts);
  const currency = facts.paid?.currency ?? sent?.currency ?? instruction.currency;
  const exchange = facts.exchange && sentExchange(facts);
  const paying =
    facts.paid?.accountId ??
    (sent !== undefined && 'beneficiaryId' in sent ? sent.accountId : undefined) ??
    exchange?.buyAccountId ??
    assessed?.payingAccountId ??
    instruction.account_id;
  const sold: [string, string][] = exchange === undefined ? [] : [[exchange.sellCurrency, exchange.sellAccountId]];
  return new Map([...sold, [currency, paying]]);
}

function sentExchange({ exchangeAttempts }: MovedFacts): ExchangeOrder | undefined {
  const sent = orderAsked(exchangeAttempts);
  return sent !== undefined && 'sellAccountId' in sent ? sent : undefined;
}

/** Most digits of an ISO 20022 amount. */
const DIGITS_MAX = 18;

/** Undefined for an amount that is impossible in its currency. */
function posting(
  direction: Posting['direction'],
  accountId: string,
  amount: string,
  currency: string,
): Posting | undefined {
  const shown = parseDecimal(amount);
  const exponent = currencyExponent(currency);
  if (shown === undefined || exponent === undefined) return undefined;
  // Some banks show outgoing amounts with a sign.
  let minor = shown.digits < 0n ? -shown.digits : shown.digits;
  if (shown.scale > exponent) {
    const beyond = 10n ** BigInt(shown.scale - exponent);
    if (minor % beyond !== 0n) return undefined;
    minor /= beyond;
  } else minor *= 10n ** BigInt(exponent - shown.scale);
  const fits = minor > 0n && minor.toString().length <= DIGITS_MAX;
  return !fits ? undefined : { direction, accountId, amount: formatMinor(minor, currency), currency };
}
