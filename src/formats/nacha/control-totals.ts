import { cut, digitsOf } from '../fixed-width/lines.ts';
import { ENTRY } from './nacha-layout.ts';

/**
 * What a batch control and the file control repeat: number of entries with their addenda, sum of routing numbers, amounts in
 * cents.
 */
export interface ControlTotals {
  entries: number;
  hash: bigint;
  debits: bigint;
  credits: bigint;
}

export const noTotals = (): ControlTotals => ({ entries: 0, hash: 0n, debits: 0n, credits: 0n });

/** The second digit of a transaction code distinguishes debits (5 to 9) from credits. */
const isDebit = (transactionCode: string): boolean => transactionCode.slice(1) >= '5';

export function addEntry(totals: ControlTotals, record: string): void {
  const cents = digitsOf(cut(record, ENTRY.amount)) ?? 0n;
  totals.entries += 1;
  totals.hash += digitsOf(cut(record, ENTRY.rdfi)) ?? 0n;
  if (isDebit(cut(record, ENTRY.transactionCode))) totals.debits += cents;
  else totals.credits += cents;
}

export function addTotals(sum: ControlTotals, { entries, hash, debits, credits }: ControlTotals): void {
  sum.entries += entries;
  sum.hash += hash;
  sum.debits += debits;
  sum.credits += credits;
}
