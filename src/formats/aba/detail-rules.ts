import type { Finding } from '../../domain/finding.ts';
import { type Columns, columnFinding, cut, digitsOf } from '../fixed-width/lines.ts';
import { CREDIT_CODES, DEBIT_CODE, DETAIL } from './aba-layout.ts';

/** What is wrong with one detail record by itself, or why it is not paid. */
export function detailFindings(record: string, place: Pick<Finding, 'file' | 'line' | 'row'>): Finding[] {
  return DETAIL_RULES.filter(({ columns, broken }) => broken(cut(record, columns))).map(
    ({ columns, rule, message, shown }) =>
      columnFinding(place, columns, { rule, message, ...(shown ? { value: cut(record, columns) } : {}) }),
  );
}

interface DetailRule {
  columns: Columns;
  rule: string;
  message: string;
  broken(value: string): boolean;
  /** The value is a code and may be shown. */
  shown?: true;
}

const BSB = /^\d{3}-\d{3}$/;
const isBroken = (pattern: RegExp) => (value: string) => !pattern.test(value);

const DETAIL_RULES: readonly DetailRule[] = [
  {
    columns: DETAIL.amount,
    rule: 'bad-amount',
    message: 'an amount has ten digits, in cents, with leading zeros',
    broken: (amount) => digitsOf(amount) === undefined,
    shown: true,
  },
  {
    columns: DETAIL.transactionCode,
    rule: 'debit-entry',
    message: 'a debit (13) of an account other than the paying account; only credits are paid; remove it',
    broken: (code) => code === DEBIT_CODE,
    shown: true,
  },
  {
    columns: DETAIL.transactionCode,
    rule: 'unknown-transaction-code',
    message: `not one of the credit codes ${[...CREDIT_CODES].join(', ')}`,
    broken: (code) => code !== DEBIT_CODE && !CREDIT_CODES.has(code),
    shown: true,
  },
  { columns: DETAIL.bsb, rule: 'bad-bsb', message: 'a BSB is written as 123-456', broken: isBroken(BSB) },
  { columns: DETAIL.traceBsb, rule: 'bad-bsb', message: 'a trace BSB is written as 123-456', broken: isBroken(BSB) },
  {
    columns: DETAIL.indicator,
    rule: 'bad-indicator',
    message: 'this must be blank, N (new details), W, X or Y (withholding tax)',
    broken: isBroken(/^[ NWXY]$/),
    shown: true,
  },
  {
    columns: DETAIL.withholdingTax,
    rule: 'withholding-tax',
    message: 'the bank does not withhold tax with a payout; report it another way, and write zeros here',
    broken: isBroken(/^ *0*$/),
  },
];
