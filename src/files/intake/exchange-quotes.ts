import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Bank } from '../../bank/bank.ts';
import { isJudged, undefinedIf } from '../../bank/errors.ts';
import { exchangeQuote } from '../../bank/exchange-quote.ts';
import { type Exchanges, maxRateOf } from '../../domain/agreed-cost.ts';
import { payloadDigest, referenceOf } from '../../domain/identity.ts';
import type { ExchangeBound, PayoutInstruction } from '../../domain/instruction.ts';
import { withoutBound } from '../../domain/instruction.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import { addDecimals, compareDecimals, Totals } from '../../domain/money.ts';
import { payoutWorkflowId } from '../../domain/names.ts';
import type { ClaimRow } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import { boughtFees } from './payment-fees.ts';
import type { StagedFile } from './staged-file.ts';

const decimal = z.string().regex(/^\d{1,30}(\.\d{1,30})?$/);
const text = z.string().min(1).max(256);

export const quotedExchange = z.strictObject({
  uid: text,
  accountId: text.describe('the account that sells'),
  sellCurrency: text,
  currency: text.describe('that is bought'),
  payingAccountId: text.describe('the account that it is bought into, and paid from'),
  buyAmount: decimal.describe('of all rows together'),
  sellAmount: decimal,
  rate: text.describe('as the bank gives it'),
  maxSlippage: decimal.describe('of rows without a cap of their own, as a fraction'),
  /** One exchange buys for all rows; absent: each row makes its own. */
  perBatch: z
    .strictObject({
      /** The day of its rows. */
      executeOn: text.optional(),
      /** Of all rows, in the currency that is bought; part of `buyAmount`. */
      fees: decimal,
      /** Of the exchange itself. */
      fee: decimal,
      feeCurrency: text,
    })
    .optional(),
});

/** What the bank quotes for all that the rows of a file buy from one account in one currency: what each may sell follows from it. */
export type QuotedExchange = z.output<typeof quotedExchange>;

/** The most accounts that are shown in a plan, and quotes that are read for it: rows beyond have no bound. */
export const ACCOUNTS_MAX = 50;
const AT_ONCE = 8;

/**
 * One quote for each account and currency, per batch also for each day; what the bank refuses, or has no account for, is left
 * out: such rows exchange by themselves.
 */
export async function quoteExchanges(
  bank: Bank,
  staged: StagedFile,
  { maxSlippage, exchange }: { maxSlippage: string; exchange: Exchanges },
): Promise<QuotedExchange[]> {
  const isPerBatch = exchange === 'per-batch';
  const totals = new Totals();
  for await (const { instruction } of itemsInTurns(staged.claims())) {
    const { uid, account_id: accountId, currency } = instruction;
    const account = staged.accounts.get(accountId);
    if (account === undefined || account.uid !== uid || account.currency === currency) continue;
    totals.add(instruction, keyOf(instruction, isPerBatch));
  }
  const quotes: QuotedExchange[] = [];
  await someAtOnce(totals.entries().slice(0, ACCOUNTS_MAX), AT_ONCE, async ([key, { currency, amount }]) => {
    const [uid = '', accountId = '', , due = ''] = JSON.parse(key) as string[];
    const sellCurrency = staged.accounts.get(accountId)?.currency ?? '';
    const quote = await undefinedIf(isJudged, async () => {
      const paying = (await bank.accounts.ofUser(uid)).find((own) => own.currency === currency);
      if (paying === undefined) return undefined;
      const { account_id: payingAccountId } = paying;
      const isOfIt = (row: PayoutInstruction): boolean => keyOf(row, true) === key;
      const fees = isPerBatch ? await boughtFees(bank, staged, { isOfIt, payingAccountId, currency }) : undefined;
      const asked = fees === undefined ? amount : addDecimals(amount, fees);
      const quoted = await exchangeQuote(bank, { sell: accountId, buy: payingAccountId, amount: asked, currency });
      return quoted && { payingAccountId, fees, ...quoted };
    });
    if (quote === undefined) return;
    const { payingAccountId, fees, buy_amount: buyAmount, sell_amount: sellAmount, rate } = quote;
    const { fee = '0', fee_currency: feeCurrency = sellCurrency } = quote;
    const perBatch = fees && {
      ...(due !== '' && { executeOn: due }),
      ...{ fees, fee, feeCurrency },
    };
    const about = { uid, accountId, sellCurrency, currency, payingAccountId };
    quotes.push({ ...about, buyAmount, sellAmount, rate, maxSlippage, ...(perBatch && { perBatch }) });
  });
  return quotes.sort((a, b) => (keyOfQuote(a) < keyOfQuote(b) ? -1 : 1));
}

/** Gives an instruction the bounds that follow from these quotes, and no others; `exchanges`: what buys for all, by key. */
export function boundBy(
  quotes: readonly QuotedExchange[],
  exchanges: ReadonlyMap<string, string> = new Map(),
): (given: PayoutInstruction) => PayoutInstruction {
  const known = new Map(quotes.map((quote) => [keyOfQuote(quote), quote]));
  return (given) => {
    const instruction = withoutBound(given) as PayoutInstruction;
    const key = keyOf(instruction, true);
    const by = exchanges.get(key);
    const quote = known.get(key) ?? known.get(keyOf(instruction, false));
    if (quote === undefined) return instruction;
    return { ...instruction, ...boundOf(quote, instruction), ...(by !== undefined && { exchanged_by: by }) };
  };
}

/** The same for every row that may be paid; and adds the exchanges that buy for all rows. */
export async function bindRows(staged: StagedFile, quotes: readonly QuotedExchange[]): Promise<void> {
  staged.exchanges = quotes.some(({ perBatch }) => perBatch !== undefined) ? await exchangesOf(staged, quotes) : [];
  const references = new Map(
    staged.exchanges.map(({ reference, instruction }) => [keyPerBatch(instruction), reference]),
  );
  const bind = boundBy(quotes, references);
  for await (const page of itemsInTurns(quotes.length === 0 ? [] : staged.claimPages())) {
    for (const claim of page) staged.claim({ ...claim, instruction: bind(claim.instruction) });
  }
}

/** All that an exchange buys for, as read in the order of references: the same rows make the same exchange. */
interface BoughtFor {
  amount: string;
  references: string[];
  /** The tightest cap of its rows. */
  maxSlippage: string;
}

async function exchangesOf(staged: StagedFile, quotes: readonly QuotedExchange[]): Promise<ClaimRow[]> {
  const perBatch = new Map(quotes.flatMap((quote) => (quote.perBatch ? [[keyOfQuote(quote), quote] as const] : [])));
  const groups = new Map<string, BoughtFor>();
  for await (const { reference, instruction } of itemsInTurns(staged.claims())) {
    const key = keyOf(instruction, true);
    const quote = perBatch.get(key);
    if (quote === undefined) continue;
    const { maxSlippage } = quote;
    const group = groups.get(key) ?? { amount: quote.perBatch?.fees ?? '0', references: [], maxSlippage };
    const cap = instruction.max_slippage ?? maxSlippage;
    group.amount = addDecimals(group.amount, instruction.amount);
    group.references.push(reference);
    if (compareDecimals(cap, group.maxSlippage) === -1) group.maxSlippage = cap;
    groups.set(key, group);
  }
  return quotes.flatMap((quote) => {
    const group = groups.get(keyOfQuote(quote));
    return quote.perBatch === undefined || group === undefined ? [] : [exchangeRow(quote, quote.perBatch, group)];
  });
}

/** A document of its own, named by the payouts that it buys for: they are claimed once, and so is it. */
function exchangeRow(
  { uid, accountId, sellCurrency, currency, payingAccountId, ...quote }: QuotedExchange,
  { executeOn }: NonNullable<QuotedExchange['perBatch']>,
  { amount, references, maxSlippage }: BoughtFor,
): ClaimRow {
  const id = `FX-${sellCurrency}-${currency}-${hash('sha256', references.join(' ')).slice(0, 16)}`;
  const instruction: PayoutInstruction = {
    ...{ id, uid, account_id: accountId, to_account_id: payingAccountId, amount, currency },
    ...(executeOn !== undefined && { execute_on: executeOn }),
    ...{ max_slippage: maxSlippage, sell_currency: sellCurrency, max_rate: maxRateOf(quote, maxSlippage) },
  };
  const reference = referenceOf(uid, id, 'exchange');
  const workflowId = payoutWorkflowId(reference, 'exchange');
  return { row: 0, kind: 'exchange', reference, workflowId, instruction, payloadDigest: payloadDigest(instruction) };
}

function boundOf(quote: QuotedExchange, { max_slippage: ownCap }: PayoutInstruction): ExchangeBound {
  const maxRate = maxRateOf(quote, ownCap ?? quote.maxSlippage);
  if (maxRate === undefined) return {};
  return { sell_currency: quote.sellCurrency, max_rate: maxRate, paying_account_id: quote.payingAccountId };
}

/** Per batch, what is due on another day is bought on that day. */
const keyOf = ({ uid, account_id, currency, execute_on }: PayoutInstruction, isPerBatch: boolean): string =>
  JSON.stringify([uid, account_id, currency, ...(isPerBatch ? [execute_on ?? ''] : [])]);

export const keyPerBatch = (row: PayoutInstruction): string => keyOf(row, true);

export const keyOfQuote = ({ uid, accountId, currency, perBatch }: QuotedExchange): string =>
  JSON.stringify([uid, accountId, currency, ...(perBatch === undefined ? [] : [perBatch.executeOn ?? ''])]);
