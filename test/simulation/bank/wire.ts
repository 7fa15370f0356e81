import type { HttpAnswer } from '../../../src/bank/transport.ts';
import { decimalText } from './books.ts';
import { type Order, statusAt } from './orders.ts';
import { type BankProfile, bankTime } from './profile.ts';

/** How this bank writes what it says. */

/** A refusal: envelope code and the message the interface gives it. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`code ${code}`);
    this.code = code;
  }
}

const MESSAGES: Readonly<Record<number, string>> = {
  2001: 'Internal Server Error',
  2002: 'Bad Request',
  2003: 'Already Existed',
  2004: 'Beneficiary Not Found',
  2005: 'Order Not Found',
  2006: 'Account Not Found',
  2007: 'Account Frozen',
  2008: 'Operation Failed',
  2010: 'Balance Not Enough',
  2011: 'In Progress',
};

export function envelope(code: number, data?: unknown): string {
  return JSON.stringify({ code, msg: code === 0 ? 'Ok' : (MESSAGES[code] ?? 'Refused'), data });
}

export function answer(status: number, body: string, headers: Record<string, string> = {}): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

export const succeeded = (data: unknown): HttpAnswer => answer(200, envelope(0, data));

export function refused(code: number, { refusalsUnder200 }: BankProfile): HttpAnswer {
  const status = refusalsUnder200 ? 200 : ({ 2003: 409, 2005: 404, 2004: 404, 2006: 404, 2001: 500 }[code] ?? 422);
  return answer(status, envelope(code));
}

/** A JSON number where the profile says so: `JSON.stringify` writes it in its shortest form, which is still exact. */
export function amountOf(minor: bigint, currency: string, { amounts }: BankProfile): string | number {
  if (amounts === 'numbers') return Number(decimalText(minor, currency));
  return decimalText(minor, currency, amounts === 'long-decimals' ? 10 : 0);
}

/** The record of an order, with its status of `at`. */
export function orderRecord(order: Order, profile: BankProfile, at: number, status = statusAt(order, at)): object {
  const { orderId, shownReference, uid, createdAt, type, direct, currency, amount, asked, drift } = order;
  const accountId = drift?.field === 'account' ? drift.value : order.accountId;
  const base = {
    order_id: orderId,
    client_order_id: shownReference,
    transaction_uid: uid,
    created_at: bankTime(profile, createdAt),
    updated_at: bankTime(profile, order.statuses.at(-1)?.at ?? createdAt),
    type,
    direct,
    status,
    fee: drift?.field === 'fee' ? drift.value : order.fee,
    fee_currency: order.feeCurrency,
  };
  const shown = drift?.field === 'amount' ? drift.value : amountOf(amount, currency, profile);
  const { orderKinds } = asked ?? {};
  if (type !== 'FX' || orderKinds?.buys === undefined) {
    return { ...base, transaction_account: accountId, transaction_currency: currency, transaction_amount: shown };
  }
  return {
    ...base,
    payment_type: 'exchange',
    sell_account: accountId,
    buy_account: orderKinds.buys.accountId,
    sell_currency: asked?.sellCurrency,
    sell_amount: amountOf(orderKinds.amount, asked?.sellCurrency ?? '', profile),
    buy_currency: currency,
    buy_amount: shown,
    rate: asked?.rate,
  };
}

/** One page of a list, in this bank's order. */
export function page<T>(
  records: readonly T[],
  { number, size, total }: { number: number; size: number; total: number | undefined },
): object {
  const from = (number - 1) * size;
  return {
    total,
    page: number,
    pages: Math.ceil(records.length / size),
    page_size: size,
    records: records.slice(from, from + size),
  };
}
