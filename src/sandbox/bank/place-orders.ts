import type { z } from 'zod';
import type { FxQuote, PlacedOrder } from '../../bank/schemas/transactions.ts';
import { currencyExponent, formatDecimal, formatMinor } from '../../domain/money.ts';
import {
  badRequest,
  type fxQuoteQuery,
  newId,
  type PaymentRequest,
  Refusal,
  type transferFeeQuery,
} from '../requests.ts';
import { type AccountRow, readAmount, requireAccount, requireUsableAccount } from './account-book.ts';
import { type BeneficiaryRow, requireBeneficiaryOf } from './beneficiary-book.ts';
import type { Books } from './books.ts';
import { dueAt, insertOrder, moveMoney, orderOfReference } from './order-book.ts';
import { type OrderRow, type OrderType, sentinelOf } from './order-machine.ts';

/** Fields of every order POST, of any type. */
export interface OrderRequest {
  reference: string;
  note: string | null;
  reason: string | null;
  expired_at: number | null;
}

/** What each order type adds. Amounts are in minor units. */
type OrderDraft = Pick<OrderRow, 'uid' | 'payment_type' | 'account_id' | 'currency' | 'amount' | 'fee'> &
  Partial<Pick<OrderRow, 'beneficiary_id' | 'counter_account' | 'buy_currency' | 'buy_amount' | 'rate'>> & {
    type: Exclude<OrderType, 'REFUND'>;
  };

/**
 * Accepts an order and holds its amount and fee. The reference is checked first, so that a repeat never gets a refusal caused by
 * the first order. Throws 2003 (profile `dedupe`), what `draft` throws, a sentinel's code, 2010.
 */
function placeOrder(books: Books, request: OrderRequest, draft: () => OrderDraft): PlacedOrder {
  const earlier = books.profile.dedupe === 'none' ? undefined : orderOfReference(books.db, request.reference);
  if (earlier !== undefined) {
    if (books.profile.dedupe === '2003') throw new Refusal(2003);
    return { order_id: earlier.order_id };
  }
  const order = accept(books, request, draft());
  insertOrder(books.db, order);
  moveMoney(books, order, 'released', 'held', books.now());
  return { order_id: order.order_id };
}

function accept(books: Books, request: OrderRequest, draft: OrderDraft): OrderRow {
  const { outcome, audit } = sentinelOf(request.note, draft.type);
  const at = BigInt(books.now());
  const order: OrderRow = {
    beneficiary_id: null,
    counter_account: null,
    buy_currency: null,
    buy_amount: null,
    rate: null,
    ...draft,
    order_id: newId('ord'),
    reference: request.reference,
    direct: 'OUT',
    status: 'ACCEPTED',
    note: request.note,
    reason: request.reason,
    remark: null,
    expired_at: request.expired_at === null ? null : BigInt(request.expired_at),
    needs_audit: audit || draft.amount >= books.settings.auditThreshold(draft.currency) ? 1n : 0n,
    outcome,
    money: 'held',
    refund_of: null,
    created_at: at,
    updated_at: at,
    due_at: null,
  };
  return { ...order, due_at: dueAt(books, order) };
}

/** Payer, payee and amount, as in both fee query and payment. */
type PaymentTerms = Pick<PaymentRequest, 'uid' | 'account_id' | 'beneficiary_id' | 'amount' | 'currency'>;

/**
 * Minor units, the same in every currency (15.00 USD, 1500 JPY); the interface shows none. Always in the currency of the paying
 * account and on top of the amount.
 */
const SWIFT_FEE = 1_500n;
const OTHER_FEE = 100n;

/** Fee quote. Throws 2002, 2004, 2006. */
export function quotePaymentFee(
  { db }: Books,
  terms: PaymentTerms,
): PaymentTerms & { fee: string; fee_currency: string } {
  const account = requireAccount(db, terms.account_id);
  const { fee, amount } = judgeTerms(db, terms, account);
  const { currency } = account;
  return { ...terms, amount: formatMinor(amount, currency), fee: formatMinor(fee, currency), fee_currency: currency };
}

/** A payment to a beneficiary. Throws 2002, 2003, 2004, 2006, 2007, 2009 (charge type), 2010. */
export function pay(books: Books, request: PaymentRequest): PlacedOrder {
  const { charge_type: chargeType } = request;
  if (chargeType != null && chargeType !== 'SHA') throw new Refusal(2009, 'only SHA is available');
  return placeOrder(books, request, () => {
    const account = requireUsableAccount(books.db, request.account_id);
    const { fee, amount, beneficiary } = judgeTerms(books.db, request, account);
    return {
      type: 'PAYMENT',
      uid: request.uid,
      payment_type: beneficiary.payment_type,
      account_id: account.account_id,
      currency: account.currency,
      amount,
      fee,
      beneficiary_id: beneficiary.id,
    };
  });
}

function judgeTerms(
  db: Books['db'],
  terms: PaymentTerms,
  account: AccountRow,
): { beneficiary: BeneficiaryRow; amount: bigint; fee: bigint } {
  if (account.uid !== terms.uid) throw new Refusal(2006);
  const beneficiary = requireBeneficiaryOf(db, terms.uid, terms.beneficiary_id);
  if (terms.currency !== account.currency) throw badRequest("currency: not the account's");
  if (terms.currency !== beneficiary.currency) throw badRequest("currency: not the beneficiary's");
  const amount = readAmount(terms.amount, terms.currency);
  return { beneficiary, amount, fee: beneficiary.payment_type === 'swift' ? SWIFT_FEE : OTHER_FEE };
}

/** Between accounts of the same currency, even of different users. */
type TransferTerms = z.infer<typeof transferFeeQuery>;

/** Fee quote. Throws 2002, 2006. */
export function quoteTransferFee(
  { db, profile }: Books,
  terms: TransferTerms,
): TransferTerms & { fee: string; fee_currency: string } {
  const source = requireAccount(db, terms.source_account_id);
  requireOther(source, requireAccount(db, terms.destination_account_id));
  const { currency } = source;
  const amount = formatMinor(readAmount(terms.amount, currency), currency);
  return { ...terms, amount, fee: formatMinor(BigInt(profile.transferFeeMinor), currency), fee_currency: currency };
}

/** One order of the source account's user, direct OUT. Throws 2002, 2003, 2006, 2007, 2010. */
export function transfer(books: Books, request: TransferTerms & OrderRequest): PlacedOrder {
  return placeOrder(books, request, () => {
    const source = requireUsableAccount(books.db, request.source_account_id);
    const destination = requireUsableAccount(books.db, request.destination_account_id);
    requireOther(source, destination);
    return {
      type: 'TRANSFER',
      uid: source.uid,
      payment_type: 'inner',
      account_id: source.account_id,
      currency: source.currency,
      amount: readAmount(request.amount, source.currency),
      fee: BigInt(books.profile.transferFeeMinor),
      counter_account: destination.account_id,
    };
  });
}

function requireOther(source: AccountRow, destination: AccountRow): void {
  if (source.account_id === destination.account_id) throw badRequest('destination_account_id: the source itself');
  if (source.currency !== destination.currency) throw badRequest('destination_account_id: another currency');
}

/** US dollars per unit with four decimals: the middle of bid and ask. */
const MID_RATES: Readonly<Record<string, bigint>> = {
  USD: 10_000n,
  EUR: 10_850n,
  GBP: 12_700n,
  AUD: 6_600n,
  CHF: 11_200n,
  JPY: 67n,
  SGD: 7_400n,
  HKD: 1_280n,
};

/** Distance of bid and ask from the middle. */
const HALF_SPREAD_BASIS_POINTS = 10n;
const BASIS_POINTS = 10_000n;

/** Decimals of a rate in order records and in quotes (interface section 2). */
const ORDER_SCALE = 10;
const QUOTE_SCALE = 4;
const UNIT = 10n ** BigInt(ORDER_SCALE);

/** Units of `buy` for one unit of `sell`, times 10^10. Throws 2009 for a currency without a rate. */
export function rateOf(sell: string, buy: string, driftBasisPoints = 0): bigint {
  const [sellMid, buyMid] = [MID_RATES[sell], MID_RATES[buy]];
  if (sellMid === undefined || buyMid === undefined) throw new Refusal(2009, 'no rate for this pair');
  const share = BASIS_POINTS - HALF_SPREAD_BASIS_POINTS - BigInt(driftBasisPoints);
  return (sellMid * UNIT * share) / (buyMid * BASIS_POINTS);
}

/** The amount bought by selling `sellMinor`, rounded down. */
export function buyAmountOf(sellMinor: bigint, sell: string, buy: string, rate: bigint): bigint {
  return (sellMinor * rate * minorUnits(buy)) / (UNIT * minorUnits(sell));
}

/** The price of buying `buyMinor`, rounded up. */
export function sellAmountOf(buyMinor: bigint, sell: string, buy: string, rate: bigint): bigint {
  const divisor = rate * minorUnits(buy);
  return (buyMinor * UNIT * minorUnits(sell) + divisor - 1n) / divisor;
}

export const orderRate = (rate: bigint): string => formatDecimal({ digits: rate, scale: ORDER_SCALE });

/** The rate in a quote, rounded half up, for display only: amounts are calculated with all ten decimals. */
export function quoteRate(rate: bigint): string {
  const step = 10n ** BigInt(ORDER_SCALE - QUOTE_SCALE);
  return formatDecimal({ digits: (rate + step / 2n) / step, scale: QUOTE_SCALE });
}

const minorUnits = (currency: string): bigint => 10n ** BigInt(currencyExponent(currency) ?? 2);

/** `currency` is that of `amount`. The interface does not show which side that may be, so both are accepted. */
type ExchangeTerms = z.infer<typeof fxQuoteQuery>;

/** A quote, which is not binding. Throws 2002, 2006, 2009. */
export function quoteExchange({ db, profile }: Books, terms: ExchangeTerms): FxQuote {
  const sell = requireAccount(db, terms.sell_account);
  const buy = requireAccount(db, terms.buy_account);
  const sides = reckonSides(terms, sell, buy, profile.quoteDriftBasisPoints);
  return {
    sell_account: sell.account_id,
    buy_account: buy.account_id,
    sell_amount: formatMinor(sides.sellAmount, sell.currency),
    buy_amount: formatMinor(sides.buyAmount, buy.currency),
    fee: formatMinor(BigInt(profile.exchangeFeeMinor), sell.currency),
    fee_currency: sell.currency,
    rate: quoteRate(sides.rate),
    sell_currency: sell.currency,
    buy_currency: buy.currency,
  };
}

/**
 * Exchanges between two accounts of one user; the transaction amount is what is sold. Throws 2002, 2003, 2006, 2007, 2009, 2010.
 */
export function exchange(books: Books, request: ExchangeTerms & OrderRequest & { type?: string | null }): PlacedOrder {
  if (request.type != null && request.type !== 'MARKET') throw new Refusal(2009, 'only MARKET is available');
  const { quoteDriftBasisPoints, fxDriftBasisPoints } = books.profile;
  return placeOrder(books, request, () => {
    const sell = requireUsableAccount(books.db, request.sell_account);
    const buy = requireUsableAccount(books.db, request.buy_account);
    const sides = reckonSides(request, sell, buy, quoteDriftBasisPoints + fxDriftBasisPoints);
    return {
      type: 'FX',
      uid: sell.uid,
      payment_type: 'exchange',
      account_id: sell.account_id,
      currency: sell.currency,
      amount: sides.sellAmount,
      fee: BigInt(books.profile.exchangeFeeMinor),
      counter_account: buy.account_id,
      buy_currency: buy.currency,
      buy_amount: sides.buyAmount,
      rate: orderRate(sides.rate),
    };
  });
}

function reckonSides(
  { amount, currency }: ExchangeTerms,
  sell: AccountRow,
  buy: AccountRow,
  driftBasisPoints: number,
): { sellAmount: bigint; buyAmount: bigint; rate: bigint } {
  if (sell.uid !== buy.uid) throw new Refusal(2006);
  if (sell.currency === buy.currency) throw badRequest('buy_account: the same currency');
  if (currency !== sell.currency && currency !== buy.currency) throw badRequest('currency: neither side');
  const rate = rateOf(sell.currency, buy.currency, driftBasisPoints);
  const minor = readAmount(amount, currency);
  const sides =
    currency === sell.currency
      ? { sellAmount: minor, buyAmount: buyAmountOf(minor, sell.currency, buy.currency, rate), rate }
      : { sellAmount: sellAmountOf(minor, sell.currency, buy.currency, rate), buyAmount: minor, rate };
  if (sides.buyAmount === 0n) throw badRequest('amount: buys less than the smallest unit');
  return sides;
}
