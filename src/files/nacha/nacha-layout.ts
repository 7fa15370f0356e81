import type { Columns } from '../fixed-width/lines.ts';

/**
 * NACHA (US ACH): records of 94 characters in blocks of ten, amounts in cents. Written here because packages such as node-nacha
 * take the file as one text, check none of its totals and give no lines.
 */

export const NACHA_WIDTH = 94;
export const BLOCKING_FACTOR = 10;
export const PADDING = '9'.repeat(NACHA_WIDTH);

/** Type 1. */
export const FILE_HEADER = {
  origin: [14, 23],
  creationDate: [24, 29],
  creationTime: [30, 33],
  modifier: [34, 34],
  /** Record size 094, blocking factor 10, format code 1. */
  format: [35, 40],
} as const satisfies Record<string, Columns>;
export const FORMAT = '094101';

/** Type 5. */
export const BATCH_HEADER = {
  serviceClass: [2, 4],
  companyId: [41, 50],
  entryClass: [51, 53],
  effectiveDate: [70, 75],
  odfi: [80, 87],
  batchNumber: [88, 94],
} as const satisfies Record<string, Columns>;

/** Type 6, for PPD and CCD. */
export const ENTRY = {
  transactionCode: [2, 3],
  routing: [4, 12],
  rdfi: [4, 11],
  account: [13, 29],
  amount: [30, 39],
  individualId: [40, 54],
  name: [55, 76],
  addendaIndicator: [79, 79],
  trace: [80, 94],
} as const satisfies Record<string, Columns>;

/** Type 7. */
export const ADDENDA = {
  type: [2, 3],
  information: [4, 83],
  entrySequence: [88, 94],
} as const satisfies Record<string, Columns>;
export const REMITTANCE_ADDENDA = '05';

/** Type 8. */
export const BATCH_CONTROL = {
  serviceClass: [2, 4],
  entries: [5, 10],
  hash: [11, 20],
  debits: [21, 32],
  credits: [33, 44],
  companyId: [45, 54],
  odfi: [80, 87],
  batchNumber: [88, 94],
} as const satisfies Record<string, Columns>;

/** Type 9. */
export const FILE_CONTROL = {
  batches: [2, 7],
  blocks: [8, 13],
  entries: [14, 21],
  hash: [22, 31],
  debits: [32, 43],
  credits: [44, 55],
} as const satisfies Record<string, Columns>;

export function looksLikeNacha(firstBytes: Uint8Array): boolean {
  return /^101[ -~]{31}094101/.test(Buffer.from(firstBytes.subarray(0, 40)).toString('latin1'));
}
