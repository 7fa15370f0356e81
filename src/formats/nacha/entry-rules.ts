import { isRoutingNumber } from '../../domain/check-digits.ts';
import { type Columns, cut, digitsOf } from '../fixed-width/lines.ts';
import { ENTRY } from './nacha-layout.ts';

/** What is wrong with one entry by itself, or why it is not paid. */

export interface BrokenEntry {
  columns: Columns;
  rule: string;
  message: string;
  /** Absent if the value would tell about a person. */
  value?: string;
}

export function entryFindings(record: string): BrokenEntry[] {
  const code = cut(record, ENTRY.transactionCode);
  const refused = refusalOf(code);
  return [
    ...(refused === undefined ? [] : [{ columns: ENTRY.transactionCode, ...refused, value: code }]),
    ...(isRoutingNumber(cut(record, ENTRY.routing)) ? [] : [BAD_ROUTING]),
    ...(digitsOf(cut(record, ENTRY.amount)) === undefined ? [{ ...BAD_AMOUNT, value: cut(record, ENTRY.amount) }] : []),
    ...(/^\d{15}$/.test(cut(record, ENTRY.trace)) ? [] : [{ ...BAD_TRACE, value: cut(record, ENTRY.trace) }]),
  ];
}

/** First digit: checking 2, savings 3, general ledger 4, loan 5. Second digit: the kind of transaction. */
function refusalOf(code: string): { rule: string; message: string } | undefined {
  if (code === '22' || code === '32') return undefined;
  if (!/^[2-5]\d$/.test(code)) return UNKNOWN_CODE;
  switch (code[1]) {
    case '3':
    case '8':
      return { rule: 'prenote-entry', message: 'a prenote moves no money and cannot be sent; remove it' };
    case '5':
    case '7':
      return { rule: 'debit-entry', message: 'a debit; only credits are paid; remove it' };
    case '1':
    case '6':
      return RETURN_ENTRY;
    default:
      return UNKNOWN_CODE;
  }
}

export const RETURN_ENTRY = {
  rule: 'return-entry',
  message: 'returns and notifications of change come from a bank and are not payouts; remove it',
};
const UNKNOWN_CODE = {
  rule: 'unknown-transaction-code',
  message: 'only credits to a checking (22) or savings account (32) are paid',
};
const BAD_ROUTING: BrokenEntry = {
  columns: ENTRY.routing,
  rule: 'bad-routing-number',
  message: 'a routing number has nine digits, the last of which is a check digit',
};
const BAD_AMOUNT: BrokenEntry = {
  columns: ENTRY.amount,
  rule: 'bad-amount',
  message: 'an amount has ten digits, in cents, with leading zeros',
};
const BAD_TRACE: BrokenEntry = {
  columns: ENTRY.trace,
  rule: 'bad-trace-number',
  message: 'a trace number has fifteen digits',
};
