import type { PlacedOrder } from '../../bank/schemas/transactions.ts';
import { formatMinor } from '../../domain/money.ts';
import { badRequest, Refusal } from '../refusal.ts';
import type { PaymentRequest } from '../requests.ts';
import { type AccountRow, requireAccount, requireUsableAccount } from './accounts.ts';
import { readAmount } from './amounts.ts';
import { type BeneficiaryRow, requireBeneficiaryOf } from './beneficiaries.ts';
import type { Books } from './books.ts';
import { placeOrder } from './place-order.ts';

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
