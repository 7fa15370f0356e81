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
