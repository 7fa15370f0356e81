import { amountRule, type FieldRule } from '../fixed-width/lines.ts';
import { CREDIT_CODES, DEBIT_CODE, DETAIL } from './aba-layout.ts';

const BSB = /^\d{3}-\d{3}$/;
const unlike = (pattern: RegExp) => (value: string) => !pattern.test(value);

/** What can be wrong with one detail record by itself, or why it is not paid. */
export const DETAIL_RULES: readonly FieldRule[] = [
  amountRule(DETAIL.amount),
  {
    columns: DETAIL.transactionCode,
    rule: 'debit-entry',
    message: 'a debit (13) of an account other than the paying account; only credits are paid; remove it',
    isBroken: (code) => code === DEBIT_CODE,
    shown: true,
  },
  {
    columns: DETAIL.transactionCode,
    rule: 'unknown-transaction-code',
    message: `not one of the credit codes ${[...CREDIT_CODES].join(', ')}`,
    isBroken: (code) => code !== DEBIT_CODE && !CREDIT_CODES.has(code),
    shown: true,
  },
  { columns: DETAIL.bsb, rule: 'bad-bsb', message: 'a BSB is written as 123-456', isBroken: unlike(BSB) },
  { columns: DETAIL.traceBsb, rule: 'bad-bsb', message: 'a trace BSB is written as 123-456', isBroken: unlike(BSB) },
  {
    columns: DETAIL.indicator,
    rule: 'bad-indicator',
    message: 'this must be blank, N (new details), W, X or Y (withholding tax)',
    isBroken: unlike(/^[ NWXY]$/),
    shown: true,
  },
  {
    columns: DETAIL.withholdingTax,
    rule: 'withholding-tax',
    message: 'the bank does not withhold tax with a payout; report it another way, and write zeros here',
    isBroken: unlike(/^ *0*$/),
  },
];
