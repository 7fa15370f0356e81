import type { z } from 'zod';
import type { PlacedOrder } from '../../bank/schemas/transactions.ts';
import { formatMinor } from '../../domain/money.ts';
import { badRequest } from '../refusal.ts';
import type { transferFeeQuery } from '../requests.ts';
import { type AccountRow, requireAccount, requireUsableAccount } from './accounts.ts';
import { readAmount } from './amounts.ts';
import type { Books } from './books.ts';
import { type OrderRequest, placeOrder } from './place-order.ts';

/** Between accounts of the same currency, even of different users. */
export type TransferTerms = z.infer<typeof transferFeeQuery>;

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
