import type { Bank } from '../../bank/bank.ts';
import { exchangeQuote } from '../../bank/exchange-quote.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import {
  addDecimals,
  allot,
  formatMinor,
  inProportion,
  parseAmount,
  parseDecimal,
  sumDecimals,
} from '../../domain/money.ts';
import type { ClaimRow } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import {
  ACCOUNTS_MAX,
  keyOfQuote,
  keyPerBatch,
  type QuotedExchange,
  quotedFee,
  undefinedIfRefused,
} from './exchange-quotes.ts';
import type { Plan } from './plan.ts';
import type { StagedFile } from './staged-file.ts';

/** What a plan costs by what the bank shows now: not binding, and not part of the plan's hash. Amounts are decimal strings. */
export interface Costs {
  balances: AccountOutlook[];
  fees: FeesOutlook[];
  /** Payouts of whose kind the bank quotes no fee. */
  feesUnknown: number;
  /** All that leaves these accounts, in `PAYOUTS_BASE_CURRENCY`; null: none is set. */
  inBase: { currency: string; amount: string /** Not included: the bank quotes no rate. */; without: string[] } | null;
  /** Each exchange that buys for many payouts, beside one for each of them. */
  compared: ComparedExchange[];
}

export interface AccountOutlook {
  accountId: string;
  currency: string;
  balance: string;
  /** Sum of payouts, their exchanges and the fees, and of what exchanges for many payouts leave to it. */
  needs: string;
  /** Balance after that; negative if there is not enough money. */
  after: string;
  /** For the amounts of the payouts and, where a fee is in the same currency, for the fees. */
  exchanges: { buyCurrency: string; buyAmount: string; sellAmount: string; rate: string }[];
}

/** Fees in one currency. `amount` is that of all: of those that the bank has quoted, and of those estimated by them. */
interface FeesOutlook {
  currency: string;
  amount: string;
  quoted: number;
  estimated: number;
}

/** A quote is a call of the bank, and each payout asks for its own again before it is sent. */
const QUOTES_MAX = 25;
const AT_ONCE = 8;

/** Reads balances, fees and a quote for each exchange. What the bank refuses is left out: the payout itself will report it. */
export async function costsOf(
  bank: Bank,
  { plan, staged, quotes }: { plan: Pick<Plan, 'accounts'>; staged: StagedFile; quotes: readonly QuotedExchange[] },
  baseCurrency: string | undefined,
): Promise<Costs> {
  const paying = new PayingAccounts(bank);
  const sums = new Map<string, Paid>();
  for (const { uid, accountId, currency, amount } of plan.accounts.slice(0, ACCOUNTS_MAX)) {
    const named = await paying.account(accountId, uid);
    const quote = together(
      quotes.filter((it) => it.uid === uid && it.accountId === accountId && it.currency === currency),
    );
    if (named !== undefined) sums.set(keyOf(accountId, currency), { uid, named, currency, amount, quote });
  }
  const classes = await classesOf(staged);
  await quoteFees(bank, sums, classes);
  const { fees, unknown } = addFees(classes, sums);
  for (const paid of sums.values()) {
    if (paid.named.currency === paid.currency) take(paid.named, paid.amount);
    else if (paid.quote !== undefined) exchange(paid, paid.quote);
  }
  for (const { uid, payingAccountId, perBatch } of quotes) {
    if (perBatch === undefined || parseDecimal(perBatch.held)?.digits === 0n) continue;
    const used = await paying.account(payingAccountId, uid);
    if (used !== undefined) take(used, perBatch.held);
  }
  const balances = paying.all();
  const inBase = baseCurrency === undefined ? null : await totalIn(bank, paying, sums, baseCurrency);
  const compared = await comparedWithEach(bank, staged, quotes);
  return { balances, fees, feesUnknown: unknown, inBase, compared };
}

/** What is bought on several days. */
function together(quotes: readonly QuotedExchange[]): QuotedExchange | undefined {
  const [first] = quotes;
  if (first === undefined || quotes.length === 1) return first;
  const sumOf = (name: 'buyAmount' | 'sellAmount'): string => sumDecimals(quotes.map((quote) => quote[name]));
  return { ...first, buyAmount: sumOf('buyAmount'), sellAmount: sumOf('sellAmount') };
}

/** What is paid in one currency by rows that name one account; fees are added to it. */
interface Paid {
  uid: string;
  named: AccountOutlook;
  currency: string;
  amount: string;
  /** For the payouts without their fees; absent: they need no exchange, or the bank quotes none. */
  quote: QuotedExchange | undefined;
}

const keyOf = (...parts: string[]): string => JSON.stringify(parts);

/** Accounts that pay, each read once. */
class PayingAccounts {
  readonly #bank: Bank;
  readonly #accounts = new Map<string, AccountOutlook | undefined>();
  readonly #own = new Map<string, Promise<Awaited<ReturnType<Bank['accounts']['ofUser']>> | undefined>>();

  constructor(bank: Bank) {
    this.#bank = bank;
  }

  all(): AccountOutlook[] {
    return [...this.#accounts.values()].filter((account) => account !== undefined);
  }

  /** Undefined for the account of another user: a person who may pay for one user need not know what another has. */
  async account(accountId: string, payer: string): Promise<AccountOutlook | undefined> {
    const key = keyOf(accountId, payer);
    if (!this.#accounts.has(key)) {
      const read = await undefinedIfRefused(() => this.#bank.accounts.get(accountId));
      const { uid, currency = '', balance = '0' } = read ?? {};
      const isTheirs = uid === payer;
      this.#accounts.set(
        key,
        isTheirs ? { accountId, currency, balance, needs: '0', after: balance, exchanges: [] } : undefined,
      );
    }
    return this.#accounts.get(key);
  }

  /** The user's own account in a currency, from which payouts in it leave. */
  async ownIn(uid: string, currency: string): Promise<string | undefined> {
    const reading = this.#own.get(uid) ?? undefinedIfRefused(() => this.#bank.accounts.ofUser(uid));
    this.#own.set(uid, reading);
    return (await reading)?.find((own) => own.currency === currency)?.account_id;
  }
}

function take(account: AccountOutlook, amount: string): void {
  account.needs = addDecimals(account.needs, amount);
  account.after = addDecimals(account.after, `-${amount}`);
}

/** Rows that cost the same kind of fee: by account, currency and type of payment. */
interface FeeClass {
  accountId: string;
  currency: string;
  rows: number;
  /** Of those whose payee the bank has, the first ones. */
  samples: ClaimRow['instruction'][];
  quoted: number;
  /** Sum of the quoted fees, and their currency; blank: none is quoted. */
  sum: string;
  feeCurrency: string;
}

async function classesOf(staged: StagedFile): Promise<FeeClass[]> {
  const classes = new Map<string, FeeClass>();
  for await (const page of itemsInTurns(staged.claimPages())) {
    for (const { instruction } of page) {
      const { account_id: accountId, currency, payment_type: type = '', beneficiary_id: payeeId } = instruction;
      const key = keyOf(accountId, currency, type);
      const empty = { accountId, currency, rows: 0, samples: [], quoted: 0, sum: '0', feeCurrency: '' };
      const of: FeeClass = classes.get(key) ?? empty;
      classes.set(key, of);
      of.rows += 1;
      if (payeeId !== undefined && of.samples.length < QUOTES_MAX) of.samples.push(instruction);
    }
  }
  return [...classes.values()];
}

/** Quotes the first rows of each class, one of each class after the other. */
async function quoteFees(bank: Bank, sums: ReadonlyMap<string, Paid>, classes: readonly FeeClass[]): Promise<void> {
  const inTurn = Array.from({ length: QUOTES_MAX }, (_, n) =>
    classes.flatMap((of) => {
      const instruction = of.samples[n];
      return instruction === undefined ? [] : [{ of, instruction }];
    }),
  ).flat();
  await someAtOnce(inTurn.slice(0, QUOTES_MAX), AT_ONCE, async ({ of, instruction }) => {
    const { account_id, currency } = instruction;
    const { named, quote: sold } = sums.get(keyOf(account_id, currency)) ?? {};
    const from = named?.currency === currency ? account_id : sold?.payingAccountId;
    if (from === undefined) return;
    const quote = await quotedFee(bank, instruction, from);
    if (quote === undefined || (of.feeCurrency !== '' && of.feeCurrency !== quote.fee_currency)) return;
    of.feeCurrency = quote.fee_currency;
    of.sum = addDecimals(of.sum, quote.fee);
    of.quoted += 1;
  });
}

/** Sums by currency. Rows without a quote cost the average of their class, else of their account and currency. */
function addFees(
  classes: readonly FeeClass[],
  sums: ReadonlyMap<string, Paid>,
): { fees: FeesOutlook[]; unknown: number } {
  const fees = new Map<string, FeesOutlook>();
  let unknown = 0;
  for (const of of classes) {
    const { accountId, currency, rows, quoted } = of;
    const alike = classes.find((it) => it.accountId === accountId && it.currency === currency && it.quoted > 0);
    const by = quoted > 0 ? of : alike;
    if (by === undefined) {
      unknown += rows;
      continue;
    }
    const { feeCurrency } = by;
    const amount = addDecimals(quoted > 0 ? of.sum : '0', averageOf(by, rows - quoted));
    const sum = fees.get(feeCurrency) ?? { currency: feeCurrency, amount: '0', quoted: 0, estimated: 0 };
    fees.set(feeCurrency, {
      currency: feeCurrency,
      amount: addDecimals(sum.amount, amount),
      quoted: sum.quoted + quoted,
      estimated: sum.estimated + rows - quoted,
    });
    const paid = sums.get(keyOf(accountId, currency));
    if (paid === undefined) continue;
    if (feeCurrency === paid.currency) paid.amount = addDecimals(paid.amount, amount);
    else if (feeCurrency === paid.named.currency) take(paid.named, amount);
  }
  return { fees: [...fees.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1)), unknown };
}

/** So many times the average fee of a class. */
const averageOf = ({ sum, quoted }: FeeClass, rows: number): string => inProportion(sum, `${rows}`, `${quoted}`);

/** What is sold for amounts and fees, by the quote for the amounts alone; rounded up in the last place of the quote. */
function exchange(
  { named, amount: paid }: Paid,
  { currency: buyCurrency, buyAmount, sellAmount: quoted, rate, perBatch }: QuotedExchange,
): void {
  const amount = perBatch === undefined ? paid : buyAmount;
  if ((parseDecimal(buyAmount)?.digits ?? 0n) === 0n) return;
  const sellAmount = inProportion(quoted, amount, buyAmount);
  take(named, sellAmount);
  named.exchanges.push({ buyCurrency, buyAmount: amount, sellAmount, rate });
}

/** By the rates that the bank quotes now between accounts of the payer. */
async function totalIn(
  bank: Bank,
  paying: PayingAccounts,
  sums: ReadonlyMap<string, Paid>,
  base: string,
): Promise<Costs['inBase']> {
  const uids = new Map([...sums.values()].map(({ named, uid }) => [named, uid]));
  let total = '0';
  const without: string[] = [];
  for (const [{ accountId, currency, needs }, uid] of uids) {
    if (currency === base || parseDecimal(needs)?.digits === 0n) {
      total = addDecimals(total, needs);
      continue;
    }
    const buy = await paying.ownIn(uid, base);
    const quote =
      buy === undefined ? undefined : await exchangeQuote(bank, { sell: accountId, buy, amount: needs, currency });
    if (quote === undefined) without.push(`${needs} ${currency}`);
    else total = addDecimals(total, quote.buy_amount);
  }
  return { currency: base, amount: total, without };
}

/** One exchange for many payouts, and what one for each of them would cost by what the bank quotes now. Amounts are decimal strings. */
interface ComparedExchange {
  /** Its document. */
  id: string;
  sellCurrency: string;
  currency: string;
  payouts: number;
  /** Of these, those whose own exchange was quoted: what the others would cost is estimated from them. */
  quoted: number;
  once: ExchangeCost;
  each: ExchangeCost;
  feeCurrency: string;
  /** In `sellCurrency`, with the fees if they are in it; negative: one exchange costs more. Null: no exchange of one payout is quoted. */
  saved: string | null;
}

interface ExchangeCost {
  sold: string;
  /** Of exchanges, in `feeCurrency`. */
  fees: string;
}

async function comparedWithEach(
  bank: Bank,
  staged: StagedFile,
  quotes: readonly QuotedExchange[],
): Promise<ComparedExchange[]> {
  const compared: ComparedExchange[] = [];
  for (const exchange of staged.exchanges) {
    const quote = quotes.find((it) => keyOfQuote(it) === keyPerBatch(exchange.instruction));
    if (quote?.perBatch !== undefined) compared.push(await compare(bank, staged, exchange, quote, quote.perBatch));
  }
  return compared;
}

async function compare(
  bank: Bank,
  staged: StagedFile,
  { reference, instruction: { id } }: ClaimRow,
  { accountId: sell, payingAccountId: buy, sellCurrency, currency, buyAmount, sellAmount }: QuotedExchange,
  { fees, fee, feeCurrency }: NonNullable<QuotedExchange['perBatch']>,
): Promise<ComparedExchange> {
  const { payouts, first } = await rowsOf(staged, reference);
  const shares = allot(minorOf(fees, currency), Array(payouts).fill(1n));
  const each: { sold: string; bought: string; fee: string }[] = [];
  await someAtOnce([...first.entries()], AT_ONCE, async ([at, { amount: own }]) => {
    const amount = addDecimals(own, formatMinor(shares[at] ?? 0n, currency));
    const quote = await exchangeQuote(bank, { sell, buy, amount, currency });
    const { fee = '0', fee_currency: charged = feeCurrency } = quote ?? {};
    if (quote !== undefined && charged === feeCurrency) each.push({ sold: quote.sell_amount, bought: amount, fee });
  });
  const sum = (name: 'sold' | 'bought' | 'fee'): string => sumDecimals(each.map((quote) => quote[name]));
  const estimated = {
    sold: inProportion(sum('sold'), buyAmount, sum('bought')),
    fees: inProportion(sum('fee'), `${payouts}`, `${each.length}`),
  };
  const all = ({ sold, fees: charged }: ExchangeCost): string =>
    feeCurrency === sellCurrency ? addDecimals(sold, charged) : sold;
  const once = { sold: sellAmount, fees: fee };
  const saved = each.length === 0 ? null : addDecimals(all(estimated), `-${all(once)}`);
  return { id, sellCurrency, currency, payouts, quoted: each.length, once, each: estimated, feeCurrency, saved };
}

async function rowsOf(staged: StagedFile, reference: string): Promise<{ payouts: number; first: PayoutInstruction[] }> {
  const first: PayoutInstruction[] = [];
  let payouts = 0;
  for await (const page of itemsInTurns(staged.claimPages())) {
    for (const { instruction } of page) {
      if (instruction.exchanged_by !== reference) continue;
      payouts += 1;
      if (first.length < QUOTES_MAX) first.push(instruction);
    }
  }
  return { payouts, first };
}

function minorOf(amount: string, currency: string): bigint {
  const parsed = parseAmount(amount, currency);
  return parsed.ok ? parsed.minor : 0n;
}
