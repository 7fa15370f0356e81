import type { AccountBalance } from '../../api/schemas/accounts.ts';
import type { ExchangeOrder } from '../../domain/sent-order.ts';
import { orderToRepeat } from '../../domain/submission.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { legReference } from '../sending/claimed-row.ts';

/** The account to pay from: after an exchange the one it was booked into, in whatever order the bank lists them. */
export async function payingAccount(
  { bank, store }: ActivityDeps,
  row: PayoutRecord,
  exchanged: boolean,
): Promise<AccountBalance | undefined> {
  const { uid, currency } = row.instruction;
  const accounts = (await bank.accounts.ofUser(uid)).filter((account) => account.currency === currency);
  const attempts = exchanged ? await store.attempts(legReference(row, 'exchange')) : [];
  const boughtInto = orderToRepeat<ExchangeOrder>(attempts)?.buyAccountId;
  return accounts.find(({ account_id }) => account_id === boughtInto) ?? accounts[0];
}
