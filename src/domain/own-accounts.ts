import type { PayoutInstruction } from './instruction.ts';
import type { ShownAccount, TransferPlan } from './order-plans.ts';
import type { Reason } from './payout-state.ts';
import { because } from './reasons.ts';

/** Which accounts a transfer or an exchange may move money between: those that the key sees, of one user by default. */

/** Why a transfer must not be sent between these accounts; undefined when it may. Asked before it is sent, and by the sender. */
export function unfitTransfer(
  { uid, currency }: PayoutInstruction,
  { source, destination }: TransferPlan,
  acrossUsers: boolean,
): Reason | undefined {
  const foreign = foreignAccount(uid, source, acrossUsers ? undefined : destination);
  if (foreign !== undefined) return foreign;
  return source.currency === currency && destination.currency === currency
    ? undefined
    : because('account-currency', `${source.currency} to ${destination.currency}, not ${currency}`);
}

/** The same for an exchange, whose `currency` is what is bought; a bank exchanges between accounts of one user. */
export function unfitExchange(
  { uid, currency }: PayoutInstruction,
  { sell, buy }: { sell: ShownAccount; buy: ShownAccount },
): Reason | undefined {
  const foreign = foreignAccount(uid, sell, buy);
  if (foreign !== undefined) return foreign;
  return buy.currency === currency && sell.currency !== currency
    ? undefined
    : because('account-currency', `${sell.currency} to ${buy.currency}, not another currency to ${currency}`);
}

function foreignAccount(uid: string, ...accounts: readonly (ShownAccount | undefined)[]): Reason | undefined {
  return accounts.every((account) => account === undefined || account.uid === uid)
    ? undefined
    : because('account-not-own');
}
