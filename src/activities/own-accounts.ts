import type { AccountBalance } from '../bank/schemas/accounts.ts';
import type { ExchangePlan, ShownAccount } from '../domain/agreed-cost.ts';
import type { Assessment } from '../domain/gates.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import { addDecimals, compareDecimals, decimalsEqual } from '../domain/money.ts';
import { unfitExchange, unfitTransfer } from '../domain/own-accounts.ts';
import type { SeenAtBank } from '../people/decisions/asked.ts';
import { askedOf } from '../people/decisions/asked.ts';
import type { PayoutRecord } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';
import { obstructed } from './obstructed.ts';

// Readings for money that stays with its owner: a transfer, or a stand-alone exchange.

/** Reads both accounts and the fee. An account that the API key cannot see is an obstacle with the bank's own code. */
export async function readTransfer(deps: ActivityDeps, row: PayoutRecord): Promise<Assessment> {
  const { instruction } = row;
  const { account_id, to_account_id = '', amount, currency } = instruction;
  const [source, destination] = await bothAccounts(deps, instruction);
  const transfer = { source: shown(source), destination: shown(destination) };
  const unfit = unfitTransfer(instruction, transfer, deps.settings.transferAcrossUsers);
  if (unfit !== undefined) return obstructed(row, { kind: 'fail', reason: unfit });
  const { fee, fee_currency: feeCurrency } = await deps.bank.transactions.transferFee({
    source_account_id: account_id,
    destination_account_id: to_account_id,
    amount,
  });
  const needs = feeCurrency === currency ? addDecimals(amount, fee) : amount;
  return { ...agreed(deps, row, { fee, feeCurrency, transfer }), funds: funds(source, needs) };
}

/** Reads both accounts and a quote. The rate is not part of what is approved: it moves, within the cap. */
export async function readExchange(deps: ActivityDeps, row: PayoutRecord): Promise<Assessment> {
  const { instruction, assessed } = row;
  const [sell, buy] = await bothAccounts(deps, instruction);
  const unfit = unfitExchange(instruction, { sell: shown(sell), buy: shown(buy) });
  if (unfit !== undefined) return obstructed(row, { kind: 'fail', reason: unfit });
  const { exchange, ...cost } = await planExchange(deps, { sell, buy, buyAmount: instruction.amount });
  // First quote, close to what people agreed to: kept whatever later readings show.
  const firstSellAmount = assessed?.firstSellAmount ?? exchange.quotedSellAmount;
  const funding = funds(sell, exchange.quotedSellAmount);
  return { ...agreed(deps, row, { ...cost, exchange, firstSellAmount }), funds: funding };
}

/** Plans an exchange from a quote that buys the given amount in the currency of the buy account. */
export async function planExchange(
  { bank }: ActivityDeps,
  { sell, buy, buyAmount }: { sell: AccountBalance; buy: AccountBalance; buyAmount: string },
): Promise<{ exchange: ExchangePlan } & Pick<Assessment, 'fee' | 'feeCurrency'>> {
  const quote = await bank.transactions.fxQuote({
    sell_account: sell.account_id,
    buy_account: buy.account_id,
    amount: buyAmount,
    currency: buy.currency,
  });
  const exchange = {
    sellAccountId: sell.account_id,
    buyAccountId: buy.account_id,
    buyAmount,
    buyCurrency: buy.currency,
    sellCurrency: sell.currency,
    quotedSellAmount: quote.sell_amount,
    buysWhatWasAsked: decimalsEqual(quote.buy_amount, buyAmount),
  };
  return { exchange, fee: quote.fee, feeCurrency: quote.fee_currency };
}

function bothAccounts({ bank }: ActivityDeps, { account_id, to_account_id = '' }: PayoutInstruction) {
  return Promise.all([bank.accounts.get(account_id), bank.accounts.get(to_account_id)]);
}

const shown = ({ uid, currency }: AccountBalance): ShownAccount => ({ uid, currency });

/** One's own account is no payee, hence never a new one. */
const agreed = (deps: ActivityDeps, row: PayoutRecord, seen: SeenAtBank): Omit<Assessment, 'funds'> => ({
  ...seen,
  ...askedOf(deps, row, seen),
});

export const funds = ({ account_id: accountId, balance }: AccountBalance, needs: string): Assessment['funds'] => ({
  accountId,
  needs,
  available: balance,
  enough: compareDecimals(balance, needs) !== -1,
});
