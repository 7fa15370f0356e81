import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { mostSoldFor } from '../../domain/agreed-cost.ts';
import { dueDate } from '../../domain/business-days.ts';
import { isoOrNull } from '../../domain/display.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { addDecimals, compareDecimals, type Sum, type Total, Totals } from '../../domain/money.ts';
import type { PayeeDetails } from '../../domain/payee.ts';
import { bankIdentity } from '../../platform/config/bank.ts';
import type { Config } from '../../platform/config.ts';
import { recordedIdentity } from '../../store/engine/store-file.ts';
import { storeLocation } from '../../store/engine/store-url.ts';
import { nameOfDatabase } from '../../store/restore.ts';
import type { ClaimRow, Store } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import type { Days } from '../rules/warnings.ts';
import type { Alikes, LookAlikes } from './compare.ts';
import type { OrdersElsewhere } from './orders-elsewhere.ts';
import type { BatchExchange, StagedFile } from './staged-file.ts';

export interface Plan {
  file: string;
  /**
   * SHA-256 over what is paid (reference and payload of every row, and which rows are held as look-alikes): the same rows in
   * another order or format give the same hash. Not shortened: the author of the file could find two with one short hash.
   */
  hash: string;
  payouts: number;
  newBeneficiaries: number;
  /** Number of rows that pay again what is proven unpaid. */
  retries: number;
  /** Per currency of the payouts, sorted by code. */
  totals: Total[];
  /** By paying account and currency paid. */
  accounts: ({ uid: string; accountId: string } & Total)[];
  /** What is sold at most to buy what is paid, by the account that sells and the one that it is bought into and paid from. */
  exchanges: PlannedExchange[];
  /** Rows per execution date, `null` for at once; sorted. */
  executionDates: { date: string | null; count: number }[];
  lookAlikes: LookAlikes;
  /** Null: the bank shows none. */
  elsewhere: OrdersElsewhere | null;
  alikes: Alikes;
}

interface PlannedExchange extends Total {
  uid: string;
  accountId: string;
  payingAccountId: string;
  sellCurrency: string;
  /** Decimal string: for the payouts themselves, without what the bank asks as their fees; for one exchange with them. */
  sellAtMost: string;
  /**
   * One exchange buys `amount` for all: what they and their `fees` need beyond what the paying account has `held`. Null: each makes
   * its own or, if at most 0 is sold, none, because the account holds what they need.
   */
  once: { id: string; reference: string; fees: string; held: string; executeOn: string | null } | null;
}

/** A row of a plan, for who confirms it; `payee`: its details at the bank, if it is named by id and they were read. */
export interface ListedRow {
  row: number;
  instruction: ClaimRow['instruction'];
  payee: PayeeDetails | null;
}

const LISTED_MAX = 100;

/** The rows to look at first: payees given by their details, then the largest amounts, whatever their currency. */
export async function listedRows(staged: StagedFile): Promise<ListedRow[]> {
  let listed: ListedRow[] = [];
  for await (const page of itemsInTurns(staged.claimPages())) {
    for (const { row, instruction } of page) {
      const { uid, beneficiary_id: id = '' } = instruction;
      // Who pays for one user need not know the payees of another.
      const payee = staged.payeeOwners.get(id) === uid ? (staged.payees.get(id) ?? null) : null;
      listed.push({ row, instruction, payee });
    }
    listed = listed.sort(byImportance).slice(0, LISTED_MAX);
  }
  return listed;
}

function byImportance({ instruction: a }: ListedRow, { instruction: b }: ListedRow): number {
  const isNew = (of: ListedRow['instruction']): number => Number(of.beneficiary_id === undefined);
  return isNew(b) - isNew(a) || (compareDecimals(b.amount, a.amount) ?? 0);
}

/** The store that would keep the record of what is paid, and its bank. */
export interface StoreUse {
  /** Folder or file, or host and database. */
  place: string;
  /** URL of the bank, or `sandbox`. */
  bank: string;
  /** It knows of no payout: it cannot know what was paid before from another store. */
  isNew: boolean;
  batches: number;
  /** ISO 8601; null: nothing has been sent from it. */
  lastUsedAt: string | null;
  /** Folder in the working directory with another store of the same bank, which is not used; null: none. */
  otherHome: string | null;
}

/** The plan of these claims, read once in the order of their references; `exchanges` buy for all of them. */
export async function planOf(
  file: string,
  claims: Iterable<ClaimRow> | AsyncIterable<ClaimRow>,
  { lookAlikes, elsewhere, alikes }: Pick<Plan, 'lookAlikes' | 'elsewhere' | 'alikes'>,
  { today, calendar }: Days,
  exchanges: readonly BatchExchange[] = [],
): Promise<Plan> {
  const totals = new Totals();
  const accounts = new Totals();
  const bought = new Totals();
  const sold = new Totals();
  const dates = new Map<string | null, number>();
  const hash = createHash('sha256');
  let payouts = 0;
  let newBeneficiaries = 0;
  let retries = 0;
  for await (const { instruction, reference, payloadDigest, generation, lookAlikeOf } of claims) {
    const { uid, account_id: accountId, currency } = instruction;
    totals.add(instruction);
    accounts.add(instruction, JSON.stringify([uid, accountId, currency]));
    const exchange = exchangeOf(instruction);
    if (exchange !== undefined) {
      bought.add(instruction, exchange.key);
      sold.add(exchange.sells, exchange.key);
    }
    const due = instruction.execute_on === undefined ? null : dueDate(instruction.execute_on, currency, calendar);
    const date = due !== null && due < today ? null : due;
    dates.set(date, (dates.get(date) ?? 0) + 1);
    if (instruction.beneficiary_id === undefined) newBeneficiaries += 1;
    if (generation !== undefined) retries += 1;
    payouts += 1;
    hash.update(`${reference} ${payloadDigest}${lookAlikeOf === undefined ? '' : ' held'}\n`);
  }
  for (const { reference, payloadDigest } of exchanges) hash.update(`${reference} ${payloadDigest}\n`);
  const byReference = new Map(exchanges.map((exchange) => [exchange.reference, exchange]));
  return {
    file,
    hash: hash.digest('hex'),
    payouts,
    newBeneficiaries,
    retries,
    totals: totals.list(),
    accounts: accounts.entries().map(([key, total]) => {
      const [uid, accountId] = JSON.parse(key) as [string, string];
      return { uid, accountId, ...total };
    }),
    exchanges: bought.entries().map(([key, total], at) => {
      const { amount: sellAtMost = '0', currency: sellCurrency = '' } = sold.entries()[at]?.[1] ?? {};
      const { reference, ...accounts } = JSON.parse(key) as ExchangeAccounts & { reference?: string };
      const exchange = byReference.get(reference ?? '');
      const planned = { ...accounts, sellCurrency, ...total, sellAtMost, once: null } satisfies PlannedExchange;
      return reference === undefined || exchange === undefined ? planned : boughtOnce(planned, reference, exchange);
    }),
    executionDates: [...dates]
      .sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1))
      .map(([date, count]) => ({ date, count })),
    lookAlikes,
    elsewhere,
    alikes,
  };
}

/** One exchange for all payouts of a planned one, with their fees. */
function boughtOnce(
  planned: PlannedExchange,
  reference: string,
  { held, instruction }: BatchExchange,
): PlannedExchange {
  const { id, amount, max_rate: maxRate = '0', execute_on: executeOn } = instruction;
  const fees = addDecimals(amount, held, `-${planned.amount}`);
  const sellAtMost = mostSoldFor(amount, { maxRate, currency: planned.sellCurrency });
  return { ...planned, amount, sellAtMost, once: { id, reference, fees, held, executeOn: executeOn ?? null } };
}

type ExchangeAccounts = Pick<PlannedExchange, 'uid' | 'accountId' | 'payingAccountId'>;

/** What a row sells at most; undefined: its plan has not shown it. `key`: what it is added up with. */
function exchangeOf(instruction: PayoutInstruction): { key: string; sells: Sum } | undefined {
  const { uid, account_id: accountId, amount, currency } = instruction;
  const { sell_currency: sellCurrency, max_rate: maxRate, paying_account_id: payingAccountId } = instruction;
  const { exchanged_by: reference } = instruction;
  if (sellCurrency === undefined || maxRate === undefined || payingAccountId === undefined) return undefined;
  const key = JSON.stringify({ uid, accountId, payingAccountId, sellCurrency, currency, reference });
  return { key, sells: { amount: mostSoldFor(amount, { maxRate, currency: sellCurrency }), currency: sellCurrency } };
}

/** Which store of which bank this is, and what it knows, for who is about to pay from it. */
export async function storeUseOf(config: Config, store: Store): Promise<StoreUse> {
  const { batches, payouts, usedAt } = await store.extent();
  return {
    place: storeName(config),
    bank: bankIdentity(config),
    isNew: payouts === 0 && batches === 0,
    batches,
    lastUsedAt: isoOrNull(usedAt),
    otherHome: (await otherHomeOf(config)) ?? null,
  };
}

/** The home, or the file, or the database without user and password. */
function storeName({ home, storeUrl }: Config): string {
  const location = storeLocation(storeUrl.reveal());
  if (location.kind === 'postgres') return nameOfDatabase(storeUrl.reveal());
  return location.path === join(home, 'store.sqlite') ? dirname(location.path) : location.path;
}

/** The home in the working directory, where it holds a store of the same bank that is not the one in use. */
export async function otherHomeOf({ bank, homeHere, storeUrl }: Config): Promise<string | undefined> {
  if (homeHere === undefined || bank.kind === 'sandbox') return undefined;
  const file = join(homeHere, 'store.sqlite');
  if (storeUrl.reveal() === `file:${file}`) return undefined;
  const recorded = await recordedIdentity(file).catch(() => undefined);
  return recorded?.bank === bank.url ? homeHere : undefined;
}
