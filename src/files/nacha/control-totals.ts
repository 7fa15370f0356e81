import { cut, digitsOf } from '../fixed-width/lines.ts';
import { ENTRY } from './nacha-layout.ts';

/**
 * What a batch control and the file control repeat: number of entries with their addenda, sum of routing numbers, amounts in
 * cents.
 */
export class ControlTotals {
  entries = 0;
  hash = 0n;
  debits = 0n;
  credits = 0n;

  add(record: string): void {
    const cents = digitsOf(cut(record, ENTRY.amount)) ?? 0n;
    this.entries += 1;
    this.hash += digitsOf(cut(record, ENTRY.rdfi)) ?? 0n;
    if (isDebit(cut(record, ENTRY.transactionCode))) this.debits += cents;
    else this.credits += cents;
  }
}

/** The second digit of a transaction code distinguishes debits (5 to 9) from credits. */
const isDebit = (transactionCode: string): boolean => transactionCode.slice(1) >= '5';
