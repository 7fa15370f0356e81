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
  /** Amount to buy, in the payout currency: the payout, plus its fee if that is in the same currency. */
  buyAmount: string;
  buyCurrency: string;
  sellCurrency: string;
  /** Sell amount of the quote, with which the booked order is compared. */
  quotedSellAmount: string;
  /** Whether the quote buys exactly `buyAmount`; if not, the bank reads an exchange's `amount` and `currency` differently. */
  buysWhatWasAsked: boolean;
}
