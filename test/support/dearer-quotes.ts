import type { Bank } from '../../src/bank/bank.ts';
import { withSlippage } from '../../src/domain/agreed-cost.ts';

/** From now on the bank quotes a tenth more for what is bought. */
export function dearerQuotes({ transactions }: Pick<Bank, 'transactions'>): void {
  const { fxQuote } = transactions;
  const dearer: typeof fxQuote = async (asked) => {
    const quote = await fxQuote(asked);
    return { ...quote, sell_amount: withSlippage(quote.sell_amount, '0.1') };
  };
  Object.assign(transactions, { fxQuote: dearer });
}
