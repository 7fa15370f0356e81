/**
 * Kill switches: while one is off, nothing that moves money or creates something is sent for the payouts it matches.
 */
export const SWITCH_SCOPES = ['everything', 'uid', 'account', 'currency', 'payee', 'batch'] as const;
export type SwitchScope = (typeof SWITCH_SCOPES)[number];

/** One switch that is off. */
export interface SwitchedOff {
  scope: SwitchScope;
  /** Id within the scope; empty for `everything`. */
  key: string;
}

/** What a payout touches: a switch on any of it stops the payout. Its batch is found by its reference. */
export interface Touched {
  /** Of the payout itself, not of its exchange. */
  reference: string;
  uid: string;
  accounts: readonly string[];
  currencies: readonly string[];
  /** Ids at the bank. */
  payees: readonly string[];
}

/** The widest scope first, so that the reason does not change while several match. */
export function widest(scopes: readonly SwitchScope[]): SwitchScope | undefined {
  return SWITCH_SCOPES.find((scope) => scopes.includes(scope));
}
