import { isRoutingNumber } from '../../domain/check-digits.ts';
import { amountRule, type FieldRule } from '../fixed-width/lines.ts';
import { ENTRY } from './nacha-layout.ts';

export const RETURN_ENTRY = {
  rule: 'return-entry',
  message: 'returns and notifications of change come from a bank and are not payouts; remove it',
};

/** A rule about the transaction code. First digit: checking 2, savings 3, general ledger 4, loan 5. Second digit: its kind. */
const transactionCode = (refused: RegExp, what: { rule: string; message: string }): FieldRule => ({
  columns: ENTRY.transactionCode,
  ...what,
  isBroken: (code) => refused.test(code),
  shown: true,
});

/** What can be wrong with one entry by itself, or why it is not paid. */
export const ENTRY_RULES: readonly FieldRule[] = [
  transactionCode(/^[2-5][38]$/, {
    rule: 'prenote-entry',
    message: 'a prenote moves no money and cannot be sent; remove it',
  }),
  transactionCode(/^[2-5][57]$/, { rule: 'debit-entry', message: 'a debit; only credits are paid; remove it' }),
  transactionCode(/^[2-5][16]$/, RETURN_ENTRY),
  transactionCode(/^(?![23]2$|[2-5][135678]$)/, {
    rule: 'unknown-transaction-code',
    message: 'only credits to a checking (22) or savings account (32) are paid',
  }),
  {
    columns: ENTRY.routing,
    rule: 'bad-routing-number',
    message: 'a routing number has nine digits, the last of which is a check digit',
    isBroken: (number) => !isRoutingNumber(number),
  },
  amountRule(ENTRY.amount),
  {
    columns: ENTRY.trace,
    rule: 'bad-trace-number',
    message: 'a trace number has fifteen digits',
    isBroken: (trace) => !/^\d{15}$/.test(trace),
    shown: true,
  },
];
