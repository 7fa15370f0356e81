import { type Decimal, formatDecimal, parseDecimal } from '../../domain/money.ts';
import { type GroupStatus, groupStatus, type TransactionStatus } from './transaction-status.ts';

interface Tally {
  transactions: number;
  /** Sum over all currencies, like a control sum; `undefined` after an amount that is not a plain decimal. */
  sum: Decimal | undefined;
}

/** Most digits of a decimal in the schemas. */
const DIGITS_MAX = 18;

/** Number and sum of transactions by status, for the file or a payment block. */
export class StatusTally {
  private readonly byStatus = new Map<TransactionStatus, Tally>();

  add(status: TransactionStatus, amount: string): void {
    const { transactions, sum } = this.byStatus.get(status) ?? { transactions: 0, sum: { digits: 0n, scale: 0 } };
    this.byStatus.set(status, { transactions: transactions + 1, sum: added(sum, parseDecimal(amount)) });
  }

  /** Nothing was counted. */
  get isEmpty(): boolean {
    return this.byStatus.size === 0;
  }

  status(): GroupStatus {
    return groupStatus(this.byStatus.keys());
  }

  /** Sorted by status. */
  counts(): { status: TransactionStatus; transactions: number; sum: string | undefined }[] {
    return [...this.byStatus]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([status, { transactions, sum }]) => ({ status, transactions, sum: sumText(sum) }));
  }
}

function added(a: Decimal | undefined, b: Decimal | undefined): Decimal | undefined {
  if (a === undefined || b === undefined) return undefined;
  const scale = Math.max(a.scale, b.scale);
  return {
    digits: a.digits * 10n ** BigInt(scale - a.scale) + b.digits * 10n ** BigInt(scale - b.scale),
    scale,
  };
}

function sumText(sum: Decimal | undefined): string | undefined {
  if (sum === undefined) return undefined;
  const text = formatDecimal(sum);
  return text.replace(/\D/g, '').length <= DIGITS_MAX ? text : undefined;
}
