import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Bank } from '../../bank/bank.ts';
import { isJudged, undefinedIf } from '../../bank/errors.ts';
import { exchangeQuote } from '../../bank/exchange-quote.ts';
import type { AccountBalance } from '../../bank/schemas/accounts.ts';
import type { FxQuote, OrderFee } from '../../bank/schemas/transactions.ts';
import { type Exchanges, maxRateOf, mostSoldFor } from '../../domain/agreed-cost.ts';
import { payloadDigest, referenceOf } from '../../domain/identity.ts';
import { type ExchangeBound, type PayoutInstruction, SELLS_NOTHING, withoutBound } from '../../domain/instruction.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import { addDecimals, compareDecimals, inProportion, leastOf, Totals } from '../../domain/money.ts';
import { payoutWorkflowId } from '../../domain/names.ts';
import type { Store } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import type { BatchExchange, StagedFile } from './staged-file.ts';

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
      /** Of all rows, in the currency that is bought; `buyAmount` is what rows and fees need beyond `held`. */
      fees: decimal,
      held: decimal.describe(
        'on the account that pays, and needed by no other open payout: it is used, and so much less is bought',
      ),
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
  { bank, store }: { bank: Bank; store: Store },
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
  const needed: Needed[] = [];
  await someAtOnce(totals.entries().slice(0, ACCOUNTS_MAX), AT_ONCE, async ([key, { currency, amount }]) => {
    const [uid = ''] = JSON.parse(key) as string[];
    const own = await undefinedIfRefused(() => bank.accounts.ofUser(uid));
    const paying = own?.find((account) => account.currency === currency);
    if (paying === undefined) return;
    const isOfIt = (row: PayoutInstruction): boolean => keyOf(row, true) === key;
    const payingAccountId = paying.account_id;
    const bought = isPerBatch ? await boughtFees(bank, staged, { isOfIt, payingAccountId, currency }) : undefined;
    const fees = bought && leastOf(bought.fees, amount);
    needed.push({ key, currency, paying, amount, fees, feeAtMost: bought?.highest ?? '0', held: '0' });
  });
  if (isPerBatch) await useHeld(store, staged, needed);
  const quotes: QuotedExchange[] = [];
  await someAtOnce(needed, AT_ONCE, async (need) => {
    const quote = await quoted(bank, staged, need, maxSlippage);
    if (quote !== undefined) quotes.push(quote);
  });
  return quotes.sort((a, b) => (keyOfQuote(a) < keyOfQuote(b) ? -1 : 1));
}

/** What rows need that one quote is read for. */
interface Needed {
  key: string;
  currency: string;
  paying: AccountBalance;
  amount: string;
  /** Undefined: each row buys its own. */
  fees: string | undefined;
  feeAtMost: string;
  /** Of what the paying account holds. */
  held: string;
}

/**
 * Gives what paying accounts hold and nothing else needs to the exchanges into them, to the first days first. Of an account whose
 * balance is not known, or from which something else is sold, nothing is used.
 */
async function useHeld(store: Store, staged: StagedFile, needed: Needed[]): Promise<void> {
  const free = new Map<string, string>();
  for (const need of needed.sort((a, b) => (dayAndKey(a) < dayAndKey(b) ? -1 : 1))) {
    const { paying, amount, fees = '0' } = need;
    const left = free.get(paying.account_id) ?? (await freeOn(store, staged, need));
    need.held = leastOf(left, addDecimals(amount, fees));
    free.set(paying.account_id, addDecimals(left, `-${need.held}`));
  }
}

const dayAndKey = ({ key }: Needed): string => `${(JSON.parse(key) as string[])[3]} ${key}`;

/** Never less than zero. The fee of a payout that is not of these rows counts as the highest of theirs. */
async function freeOn(store: Store, staged: StagedFile, { paying, feeAtMost }: Needed): Promise<string> {
  const { uid, account_id: accountId, currency, balance, isStale } = paying;
  const open = isStale === true ? undefined : await store.openOn({ uid, accountId, currency });
  if (open === undefined) return '0';
  let { amount, count } = open;
  for await (const { instruction } of itemsInTurns(staged.claims())) {
    if (instruction.account_id !== accountId) continue;
    if (instruction.currency !== currency) return '0';
    amount = addDecimals(amount, instruction.amount);
    count += 1;
  }
  const free = addDecimals(balance, `-${amount}`, `-${inProportion(feeAtMost, `${count}`, '1')}`);
  return compareDecimals(free, '0') === 1 ? free : '0';
}

/** A balance may be more exact than its currency. */
const beyond = (needed: string, held: string, currency: string): string =>
  mostSoldFor(addDecimals(needed, `-${held}`), { maxRate: '1', currency });

async function quoted(
  bank: Bank,
  staged: StagedFile,
  { key, currency, paying: { account_id: payingAccountId }, amount, fees, held }: Needed,
  maxSlippage: string,
): Promise<QuotedExchange | undefined> {
  const [uid = '', accountId = '', , due = ''] = JSON.parse(key) as string[];
  const sellCurrency = staged.accounts.get(accountId)?.currency ?? '';
  const about = { uid, accountId, sellCurrency, currency, payingAccountId, maxSlippage };
  const asked = fees === undefined ? amount : beyond(addDecimals(amount, fees), held, currency);
  const isNothing = compareDecimals(asked, '0') === 0;
  const quote = isNothing
    ? { buy_amount: asked, sell_amount: '0', rate: '0' }
    : await exchangeQuote(bank, { sell: accountId, buy: payingAccountId, amount: asked, currency });
  if (quote === undefined) return undefined;
  const { buy_amount: buyAmount, sell_amount: sellAmount, rate } = quote;
  const { fee = '0', fee_currency: feeCurrency = sellCurrency } = quote as Partial<FxQuote>;
  const perBatch = fees && { ...(due !== '' && { executeOn: due }), ...{ fees, held, fee, feeCurrency } };
  return { ...about, buyAmount, sellAmount, rate, ...(perBatch && { perBatch }) };
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
    if (quote.perBatch !== undefined && by === undefined) return { ...instruction, ...paidFromHeld(quote) };
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

/** None for rows of which the paying account holds all that they need. */
async function exchangesOf(staged: StagedFile, quotes: readonly QuotedExchange[]): Promise<BatchExchange[]> {
  const perBatch = new Map(quotes.flatMap((quote) => (quote.perBatch ? [[keyOfQuote(quote), quote] as const] : [])));
  const groups = new Map<string, BoughtFor>();
  for await (const { reference, instruction } of itemsInTurns(staged.claims())) {
    const key = keyOf(instruction, true);
    const quote = perBatch.get(key);
    if (quote === undefined) continue;
    const { maxSlippage } = quote;
    const group = groups.get(key) ?? { amount: '0', references: [], maxSlippage };
    const cap = instruction.max_slippage ?? maxSlippage;
    group.amount = addDecimals(group.amount, instruction.amount);
    group.references.push(reference);
    if (compareDecimals(cap, group.maxSlippage) === -1) group.maxSlippage = cap;
    groups.set(key, group);
  }
  return quotes.flatMap((quote) => {
    const group = groups.get(keyOfQuote(quote));
    if (quote.perBatch === undefined || group === undefined) return [];
    // The fees and what is held are what a gateway says; the rows were read here, and bound both.
    const { fees, held } = quote.perBatch;
    const needed = addDecimals(group.amount, leastOf(fees, group.amount));
    const used = leastOf(held, needed);
    if (compareDecimals(used, needed) === 0) return [];
    return [exchangeRow(quote, quote.perBatch, { ...group, amount: beyond(needed, used, quote.currency), held: used })];
  });
}

/** A document of its own, named by the payouts that it buys for: they are claimed once, and so is it. */
function exchangeRow(
  { uid, accountId, sellCurrency, currency, payingAccountId, ...quote }: QuotedExchange,
  { executeOn }: NonNullable<QuotedExchange['perBatch']>,
  { amount, references, maxSlippage, held }: BoughtFor & { held: string },
): BatchExchange {
  const id = `FX-${sellCurrency}-${currency}-${hash('sha256', references.join(' ')).slice(0, 16)}`;
  const instruction: PayoutInstruction = {
    ...{ id, uid, account_id: accountId, to_account_id: payingAccountId, amount, currency },
    ...(executeOn !== undefined && { execute_on: executeOn }),
    ...{ max_slippage: maxSlippage, sell_currency: sellCurrency, max_rate: maxRateOf(quote, maxSlippage) },
  };
  const reference = referenceOf(uid, id, 'exchange');
  const workflowId = payoutWorkflowId(reference, 'exchange');
  const claim = { row: 0, kind: 'exchange', reference, workflowId, instruction } as const;
  return { ...claim, payloadDigest: payloadDigest(instruction), held };
}

/** Nothing may be sold for such a row. */
const paidFromHeld = ({ sellCurrency, payingAccountId }: QuotedExchange): ExchangeBound => ({
  ...{ sell_currency: sellCurrency, max_rate: SELLS_NOTHING, paying_account_id: payingAccountId },
});

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

/** Each payout asks for its own again before it is sent: a plan need not ask for those of all. */
const FEES_MAX = 200;

interface FeesAsked {
  isOfIt: (row: PayoutInstruction) => boolean;
  payingAccountId: string;
  /** Of the rows. */
  currency: string;
}

/**
 * The fees that rows pay in their own currency, to be bought with them: as quoted for the first rows, and for each other one the
 * highest quoted of its type of payment, else of all. What turns out lower stays on the account; what is too low leaves the last
 * payouts waiting for money, as do rows of a type for which nothing is quoted.
 */
async function boughtFees(
  bank: Bank,
  staged: StagedFile,
  { isOfIt, payingAccountId, currency }: FeesAsked,
): Promise<{ fees: string /** Of one row. */; highest: string }> {
  const rows = new Map<string, number>();
  const asked: PayoutInstruction[] = [];
  for await (const page of itemsInTurns(staged.claimPages())) {
    for (const { instruction } of page) {
      if (!isOfIt(instruction)) continue;
      if (instruction.beneficiary_id !== undefined && asked.length < FEES_MAX) asked.push(instruction);
      else rows.set(typeOf(instruction), (rows.get(typeOf(instruction)) ?? 0) + 1);
    }
  }
  let amount = '0';
  const highest = new Map<string, string>();
  await someAtOnce(asked, AT_ONCE, async (instruction) => {
    const quote = await quotedFee(bank, instruction, payingAccountId);
    if (quote === undefined) return;
    const fee = quote.fee_currency === currency ? quote.fee : '0';
    amount = addDecimals(amount, fee);
    for (const type of new Set([typeOf(instruction), ''])) {
      if (compareDecimals(fee, highest.get(type) ?? '-1') === 1) highest.set(type, fee);
    }
  });
  for (const [type, count] of rows) {
    const fee = highest.get(type) ?? highest.get('');
    if (fee !== undefined) amount = addDecimals(amount, inProportion(fee, `${count}`, '1'));
  }
  // No fee is more exact than its currency.
  return { fees: mostSoldFor(amount, { maxRate: '1', currency }), highest: highest.get('') ?? '0' };
}

/** The fee of a row that an account pays in the row's currency. */
export const quotedFee = (
  bank: Bank,
  { uid, beneficiary_id = '', amount, currency }: PayoutInstruction,
  account_id: string,
): Promise<OrderFee | undefined> =>
  undefinedIfRefused(() => bank.transactions.paymentFee({ uid, account_id, beneficiary_id, amount, currency }));

/**
 * Undefined if the bank refuses: the payout itself will meet that refusal and report it. Throws if the bank cannot be reached.
 */
export const undefinedIfRefused = <T>(read: () => Promise<T>): Promise<T | undefined> => undefinedIf(isJudged, read);

const typeOf = ({ payment_type = '' }: PayoutInstruction): string => payment_type;
