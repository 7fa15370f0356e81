import type { ShownAccount, TransferPlan } from './agreed-cost.ts';
import type { PayoutInstruction } from './instruction.ts';
import type { Reason } from './payout-state.ts';
import { because } from './reasons.ts';

/** Which accounts an instruction may use: those that the API key can see, by default of its user. */

/**
 * Why a transfer between these accounts must not be sent; undefined if it may. Checked before the send, and again by the sender.
 */
export function unfitTransfer(
  { uid, currency }: PayoutInstruction,
  { source, destination }: TransferPlan,
  acrossUsers: boolean,
): Reason | undefined {
  const isFit = source.currency === currency && destination.currency === currency;
  const found = `${source.currency} to ${destination.currency}, not ${currency}`;
  return foreignAccount(uid, source, acrossUsers ? undefined : destination) ?? unlessFit(isFit, found);
}

/** The same for an exchange, whose `currency` is the one bought; a bank exchanges only between accounts of one user. */
export function unfitExchange(
  { uid, currency }: PayoutInstruction,
  { sell, buy }: { sell: ShownAccount; buy: ShownAccount },
): Reason | undefined {
  const isFit = buy.currency === currency && sell.currency !== currency;
  const found = `${sell.currency} to ${buy.currency}, not another currency to ${currency}`;
  return foreignAccount(uid, sell, buy) ?? unlessFit(isFit, found);
}

const unlessFit = (isFit: boolean, found: string): Reason | undefined =>
  isFit ? undefined : because('account-currency', found);

/** Why nothing may be sent with these accounts: a person who may pay for one user has no authority over the money of another. */
export function foreignAccount(uid: string, ...accounts: readonly (ShownAccount | undefined)[]): Reason | undefined {
  return accounts.every((account) => account === undefined || account.uid === uid)
    ? undefined
    : because('account-not-own');
}
