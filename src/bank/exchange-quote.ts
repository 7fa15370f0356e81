import type { Bank } from './bank.ts';
import { isJudged, undefinedIf } from './errors.ts';
import type { FxQuote } from './schemas/transactions.ts';

/**
 * What the bank quotes now for an exchange between two accounts of one user. `amount` is in `currency`, that of either account.
 * Undefined if the bank refuses: the exchange itself will meet that refusal and report it. Throws if it cannot be reached.
 */
export const exchangeQuote = (
  bank: Bank,
  { sell, buy, amount, currency }: { sell: string; buy: string; amount: string; currency: string },
): Promise<FxQuote | undefined> =>
  undefinedIf(isJudged, () => bank.transactions.fxQuote({ sell_account: sell, buy_account: buy, amount, currency }));
