import type { PayoutInstruction } from './instruction.ts';
import type { SentOrder } from './sent-order.ts';
import type { SwitchScope } from './switch-scope.ts';
import { SWITCH_SCOPES } from './switch-scope.ts';

export interface SwitchedOff {
  scope: SwitchScope;
  /** Id within the scope; empty for `everything`. */
  key: string;
}

export const switchText = ({ scope, key }: SwitchedOff): string => (key === '' ? scope : `${scope} ${key}`);

/** What a payout touches: a switch on any of these stops it. Its batch is found by its reference. */
export interface SwitchFacts {
  /** Reference of the payout, not of its exchange. */
  reference: string;
  uid: string;
  accounts: readonly string[];
  currencies: readonly string[];
  /** Beneficiary ids at the bank. */
  payees: readonly string[];
}

/** The widest of these scopes, so that the shown reason stays the same while several match. */
export function widest(scopes: readonly SwitchScope[]): SwitchScope | undefined {
  return SWITCH_SCOPES.find((scope) => scopes.includes(scope));
}

/** What a payout touches: all that its instruction and the orders sent, or about to be sent, for it name. */
export function switchFactsOf(
  { reference, instruction }: { reference: string; instruction: PayoutInstruction },
  orders: readonly SentOrder[] = [],
): SwitchFacts {
  const { account_id, to_account_id } = instruction;
  const accounts = new Set(to_account_id === undefined ? [account_id] : [account_id, to_account_id]);
  const currencies = new Set([instruction.currency]);
  const payees = new Set(instruction.beneficiary_id === undefined ? [] : [instruction.beneficiary_id]);
  for (const order of orders) {
    currencies.add(order.currency);
    if ('beneficiaryId' in order) {
      accounts.add(order.accountId);
      payees.add(order.beneficiaryId);
    } else if ('destinationAccountId' in order) {
      accounts.add(order.sourceAccountId).add(order.destinationAccountId);
    } else {
      accounts.add(order.sellAccountId).add(order.buyAccountId);
      currencies.add(order.sellCurrency);
    }
  }
  return {
    reference,
    uid: instruction.uid,
    accounts: [...accounts],
    currencies: [...currencies],
    payees: [...payees],
  };
}
