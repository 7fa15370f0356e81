import type { Reason } from './payout-state.ts';
import type { SwitchScope } from './switch-scope.ts';

/** A payee at the bank; a changed detail changes the digest. */
export interface Payee {
  id: string;
  digest: string;
}

/** What the bank shows about a payout before it is sent. Read again after every wait. */
export interface Assessment {
  /** Absent where the order names none: a transfer, an exchange by itself. */
  beneficiary?: ({ known: true } & Payee) | { known: false };
  /** Account that pays, in the payout currency. */
  payingAccountId?: string;
  /** The payout currency must be bought first; of an exchange by itself, what it is. */
  exchange?: ExchangePlan;
  /** Of an exchange by itself: the sell amount of its first quote, which is near the one that was agreed to. */
  firstSellAmount?: string;
  /** Between which accounts a transfer moves money. */
  transfer?: TransferPlan;
  fee?: string;
  feeCurrency?: string;
  /** Digest an approval is bound to: payee, account, amount, fee. */
  digest: string;
  /** Distinct people who must approve before submit. */
  approvalsNeeded: number;
  /** Which account must cover how much, and whether its balance does; absent while that is not known. */
  funds?: { accountId: string; needs: string; enough: boolean };
  /** What the bank refused to answer, and what follows from it. */
  obstacle?: Obstacle;
  /** A switch that is off matches the payout. */
  switchedOff?: SwitchScope;
  /** An earlier payout of the same payee, amount and currency: handed over how many days before; null: not known. */
  lookAlike?: { daysBefore: number | null };
  /** It is a further generation, and it has come to light that an earlier one may have taken money. */
  earlierOpen?: true;
  /** Where the card payment stands that the payout is tied to; absent when it is tied to none. */
  cardPayment?: 'succeeded' | 'open' | 'unpaid' | 'contradicted';
}

/** An account as the bank shows it. */
export interface ShownAccount {
  uid: string;
  currency: string;
}

export interface TransferPlan {
  source: ShownAccount;
  destination: ShownAccount;
}

export interface ExchangePlan {
  sellAccountId: string;
  buyAccountId: string;
  /** Amount to buy, in the payout currency: the payout and its fee where the fee is in the same currency. */
  buyAmount: string;
  buyCurrency: string;
  sellCurrency: string;
  /** Sell amount of the quote: what the booked order is compared with. */
  quotedSellAmount: string;
  /** The quote buys exactly `buyAmount`; otherwise the bank reads `amount` and `currency` of an exchange differently. */
  buysWhatWasAsked: boolean;
}

export type Obstacle = { kind: 'fail' | 'hold'; reason: Reason } | { kind: 'await-funds' };
