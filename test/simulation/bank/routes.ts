import type { HttpAnswer, HttpRequest } from '../../../src/bank/transport.ts';
import type { Random } from '../random.ts';
import { minorOf } from './books.ts';
import type { ModelBank } from './model-bank.ts';
import { type Order, statusAt, statusOf } from './orders.ts';
import { PAYEE_FIELDS, payeeRecord } from './payees.ts';
import { type BankProfile, bankTime } from './profile.ts';
import { amountOf, orderRecord, page, Refusal, refused, succeeded } from './wire.ts';

/** The interface's routes over the model bank (interface section 4). */

export interface Reading {
  path: string;
  query: URLSearchParams;
}

export function readingOf({ target }: HttpRequest): Reading {
  const { pathname, searchParams } = new URL(target, 'http://bank');
  return { path: pathname, query: searchParams };
}

const ROOT = '/v1/banking';
/** Where the order list is. */
export const ORDERS = `${ROOT}/transactions`;

/** The list as it was at a time, or without some orders. */
export interface ListView {
  at?: number;
  leavesOut?(order: Order): boolean;
}

/** A GET as the bank answers it when nothing goes wrong. */
export function answerRead(bank: ModelBank, random: Random, { path, query }: Reading, view: ListView = {}): HttpAnswer {
  try {
    return succeeded(read(bank, random, { path: path.slice(ROOT.length), query }, view));
  } catch (error) {
    if (error instanceof Refusal) return refused(error.code, bank.profile);
    throw error;
  }
}

function read(bank: ModelBank, random: Random, { path, query }: Reading, view: ListView): unknown {
  const [, resource, id = '', detail] = path.split('/');
  if (resource === 'accounts' && id === '')
    return bank.books.all().map(({ accountId }) => accountRecord(bank, accountId));
  if (resource === 'accounts') return accountRecord(bank, id);
  if (resource === 'users') return bank.books.ofUser(id).map(({ accountId }) => accountRecord(bank, accountId));
  if (resource === 'beneficiaries') {
    if (id === 'required-details') return requiredDetails(query);
    return id === '' ? listPayees(bank, query) : onePayee(bank, id);
  }
  if (id === 'payment') return fee(bank, query);
  if (id === 'fx' && detail === 'quote') return quote(bank, query);
  return id === '' ? listOrders(bank, random, query, view) : oneOrder(bank, id);
}

function accountRecord({ books, profile, now }: ModelBank, accountId: string): object {
  const account = books.get(accountId);
  if (account === undefined) throw new Refusal(2006);
  const { uid, currency, balance, held } = account;
  return {
    updated_at: now,
    uid,
    account_id: accountId,
    currency,
    balance: amountOf(balance, currency, profile),
    frozen: amountOf(held, currency, profile),
  };
}

function requiredDetails(query: URLSearchParams): object[] {
  const fields = PAYEE_FIELDS.map((field) => ({
    field,
    required: true,
    regex: field === 'account_no' ? '^[\\d ]+$' : '',
    data_type: field === 'account_no' ? 'number' : 'text',
  }));
  const [currency, beneficiaryType] = [query.get('currency'), query.get('beneficiary_type')];
  return [{ currency, beneficiary_type: beneficiaryType, payment_type: 'local', fields }];
}

function onePayee(bank: ModelBank, id: string): object {
  const payee = bank.payees.byId(id);
  if (payee === undefined) throw new Refusal(2004);
  return payeeRecord(payee);
}

function listPayees(bank: ModelBank, query: URLSearchParams): object {
  const records = bank.payees
    .ofUser(query.get('uid') ?? '')
    .filter(({ currency }) => currency === query.get('currency'))
    // A new payee shows up in the list a while later.
    .filter(({ createdAt }) => createdAt + bank.profile.listLagMs <= bank.now)
    .map(payeeRecord);
  return paged(bank, records, query);
}

function fee(bank: ModelBank, query: URLSearchParams): object {
  if (bank.payees.byId(query.get('beneficiary_id') ?? '') === undefined) throw new Refusal(2004);
  const currency = query.get('currency') ?? '';
  if (minorOf(query.get('amount'), currency) === undefined) throw new Refusal(2002);
  const { fee: text, feeCurrency } = bank.feeIn(currency);
  const written = bank.profile.amounts === 'numbers' ? Number(text) : text;
  return { ...Object.fromEntries(query), fee: written, fee_currency: feeCurrency };
}

function quote(bank: ModelBank, query: URLSearchParams): object {
  const sell = bank.books.get(query.get('sell_account') ?? '');
  const buy = bank.books.get(query.get('buy_account') ?? '');
  if (sell === undefined || buy === undefined) throw new Refusal(2006);
  const amount = minorOf(query.get('amount'), buy.currency);
  if (amount === undefined) throw new Refusal(2002);
  const { sells, rate } = bank.costOf(amount, buy.currency, sell.currency);
  return {
    sell_account: sell.accountId,
    buy_account: buy.accountId,
    sell_amount: amountOf(sells, sell.currency, bank.profile),
    buy_amount: amountOf(amount, buy.currency, bank.profile),
    fee: '0',
    fee_currency: buy.currency,
    rate,
    sell_currency: sell.currency,
    buy_currency: buy.currency,
  };
}

function oneOrder(bank: ModelBank, id: string): object {
  const order = bank.machine.byId(id);
  if (order === undefined || order.getFrom > bank.now) throw new Refusal(2005);
  return orderRecord(order, bank.profile, bank.now - bank.profile.statusLagMs);
}

function listOrders(
  bank: ModelBank,
  random: Random,
  query: URLSearchParams,
  { at: now = bank.now, leavesOut = () => false }: ListView,
): object {
  const { profile } = bank;
  const from = Number(query.get('created_at_from') ?? 0);
  const until = Number(query.get('create_at_to') ?? Number.POSITIVE_INFINITY);
  const uid = query.get('uid');
  const currency = query.get('currency');
  const listed = bank.machine.orders.filter(
    (order) =>
      order.uid === uid &&
      isListedUnder(bank, order, currency) &&
      order.listedAt <= now &&
      !leavesOut(order) &&
      bankTime(profile, order.createdAt) >= from &&
      bankTime(profile, order.createdAt) <= until,
  );
  const inOrder = { oldest: () => listed, newest: () => listed.toReversed(), shuffled: () => random.shuffled(listed) };
  const records = inOrder[profile.pageOrder]();
  return paged(
    bank,
    records.map((order) => orderRecord(order, profile, now, listStatus(profile, order, now))),
    query,
  );
}

export function isListedUnder({ profile }: ModelBank, order: Order, currency: string | null): boolean {
  const { exchangesUnder } = profile;
  if (order.type !== 'FX') return order.currency === currency;
  const bought = order.currency === currency && exchangesUnder !== 'sold';
  return bought || (order.asked?.sellCurrency === currency && exchangesUnder !== 'bought');
}

function listStatus(profile: BankProfile, order: Order, now: number): string {
  return order.liesUntil > now ? 'COMPLETED' : statusAt(order, now - profile.statusLagMs);
}

function paged({ profile }: ModelBank, records: object[], query: URLSearchParams): object {
  const size = Math.min(Number(query.get('page_size') ?? 20), profile.pageCap);
  const total = profile.showsTotal ? records.length : undefined;
  return page(records, { number: Number(query.get('page') ?? 1), size, total });
}

/** What a bank that keeps references says to one it has. */
const answerToKnown = ({ profile }: ModelBank): number => (profile.dedupe === '2002' ? 2002 : 2003);

/** One write, executed. Returns the id it made or named; throws a refusal. */
export function execute(bank: ModelBank, { path }: Reading, body: Record<string, unknown>): string {
  const [, resource, id = '', detail] = path.slice(ROOT.length).split('/');
  if (resource === 'beneficiaries') return addPayee(bank, body);
  if (id === 'payment' || id === 'fx') {
    if (id === 'payment' && bank.profile.judgesFirst) bank.judgePayment(body);
    const known = bank.knows(body.reference);
    if (known === 'under-way') throw new Refusal(bank.profile.burns ? answerToKnown(bank) : 2011);
    if (known !== undefined) {
      if (bank.profile.dedupe === 'same-order') return known.orderId;
      throw new Refusal(answerToKnown(bank));
    }
    return id === 'payment' ? bank.pay(body) : bank.exchange(body);
  }
  const order = bank.machine.byId(id);
  if (order === undefined) throw new Refusal(2005);
  if (!bank.machine.decide(order, detail === 'approve' ? 'approve' : 'reject')) {
    throw new Refusal(statusOf(order)?.endsWith('ING') ? 2011 : 2009);
  }
  return order.orderId;
}

function addPayee(bank: ModelBank, body: Record<string, unknown>): string {
  const text = (name: string): string => String(body[name] ?? '');
  const given = {
    uid: text('uid'),
    currency: text('currency'),
    beneficiaryType: text('beneficiary_type'),
    paymentType: text('payment_type'),
    items: Object.fromEntries(PAYEE_FIELDS.map((name) => [name, text(name)])),
  };
  if (PAYEE_FIELDS.some((name) => text(name) === '')) throw new Refusal(2002);
  if (bank.profile.payeeDedupe && bank.payees.same(given) !== undefined) throw new Refusal(2003);
  return bank.payees.add({ ...given, createdAt: bank.now }).id;
}
