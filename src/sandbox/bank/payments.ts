import type { z } from 'zod';
import type { PlacedOrder } from '../../bank/schemas/transactions.ts';
import { formatMinor } from '../../domain/money.ts';
import { badRequest, newId, type PaymentRequest, Refusal, type transferFeeQuery } from '../requests.ts';
import { type AccountRow, requireAccount, requireUsableAccount } from './accounts.ts';
import { readAmount } from './amounts.ts';
import { type BeneficiaryRow, requireBeneficiaryOf } from './beneficiaries.ts';
import type { Books } from './books.ts';
import type { OrderRow, OrderType } from './order-row.ts';
import { dueAt, insertOrder, moveMoney, orderOfReference } from './orders.ts';
import { sentinelOf } from './sentinels.ts';

/** Fields of every order POST, whatever its type. */
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
 * the first order. Throws 2003 (profile `dedupe`), whatever `draft` throws, a sentinel's code, 2010.
 */
export function placeOrder(books: Books, request: OrderRequest, draft: () => OrderDraft): PlacedOrder {
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
