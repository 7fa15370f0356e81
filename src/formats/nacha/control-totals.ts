import { formatMinor } from '../../domain/money.ts';
import { type BrokenColumns, type Columns, cut, digitsOf } from '../fixed-width/lines.ts';
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

/** Only the last ten digits of the entry hash are kept. */
const HASH_MODULUS = 10n ** 10n;

type ControlColumns = Readonly<Record<keyof ControlTotals, Columns>>;

/** Where a control record differs from its entries. `of` names these: "batch", "file". */
export function differences(
  record: string,
  columns: ControlColumns,
  { entries, hash, debits, credits }: ControlTotals,
  of: string,
): BrokenColumns[] {
  const other = (name: keyof ControlTotals, total: bigint, rule: string, message: string): BrokenColumns[] => {
    const value = cut(record, columns[name]);
    return digitsOf(value) === total ? [] : [{ columns: columns[name], rule, message, value }];
  };
  const otherSum = (name: 'debits' | 'credits', cents: bigint): BrokenColumns[] => {
    const message = `the ${name} of the ${of} add up to ${formatMinor(cents, 'USD')}; this field, in cents, says otherwise`;
    return other(name, cents, 'wrong-control-sum', message);
  };
  return [
    ...other('entries', BigInt(entries), 'wrong-transaction-count', `the ${of} has ${entries} entries and addenda`),
    ...other(
      'hash',
      hash % HASH_MODULUS,
      'wrong-entry-hash',
      `the routing numbers of the ${of} do not add up to this hash`,
    ),
    ...otherSum('debits', debits),
    ...otherSum('credits', credits),
  ];
}
