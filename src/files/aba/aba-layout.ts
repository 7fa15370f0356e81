import { type Columns, cut } from '../fixed-width/lines.ts';

/**
 * Australian direct entry (Cemtex, "ABA"): records of 120 characters, amounts in cents. Written here because the packages found
 * (aba-generator) only write such files.
 */

export const ABA_WIDTH = 120;

/** Type 0: payer and date. */
export const HEAD = {
  reelSequence: [19, 20],
  institution: [21, 23],
  userId: [57, 62],
  description: [63, 74],
  processingDate: [75, 80],
} as const satisfies Record<string, Columns>;

/** Type 1: one credit or debit. */
export const DETAIL = {
  bsb: [2, 8],
  account: [9, 17],
  indicator: [18, 18],
  transactionCode: [19, 20],
  amount: [21, 30],
  title: [31, 62],
  lodgementReference: [63, 80],
  traceBsb: [81, 87],
  traceAccount: [88, 96],
  withholdingTax: [113, 120],
} as const satisfies Record<string, Columns>;

/** Type 7: totals. */
export const TOTAL = {
  bsb: [2, 8],
  net: [21, 30],
  credits: [31, 40],
  debits: [41, 50],
  count: [75, 80],
} as const satisfies Record<string, Columns>;

export const TOTAL_BSB = '999-999';

/** Credits: general, securities, family allowance, pay, pension, allotment, dividend, debenture interest. */
export const CREDIT_CODES: ReadonlySet<string> = new Set(['50', '51', '52', '53', '54', '55', '56', '57']);
export const DEBIT_CODE = '13';
export const PAY_CODE = '53';

/** Whether a debit is to the same account that it names as the payer's. */
export function isBalancing(record: string): boolean {
  const same = (one: Columns, other: Columns): boolean => cut(record, one).trim() === cut(record, other).trim();
  return (
    cut(record, DETAIL.transactionCode) === DEBIT_CODE &&
    same(DETAIL.bsb, DETAIL.traceBsb) &&
    same(DETAIL.account, DETAIL.traceAccount)
  );
}

export function looksLikeAba(firstBytes: Uint8Array): boolean {
  return /^0[ -~]{17}\d\d[A-Z]{3} {7}/.test(Buffer.from(firstBytes.subarray(0, 30)).toString('latin1'));
}
