import { addDecimals, parseDecimal } from '../../domain/money.ts';
import { ofType } from '../../formats/iso20022/simple-types.ts';
import { type GroupStatus, groupStatus, type TransactionStatus } from './transaction-status.ts';

interface Tally {
  transactions: number;
  /** Sum over all currencies, like a control sum; `undefined` after an amount that is not a plain decimal. */
  sum: string | undefined;
}

/** Number and sum of transactions by status, for the file or a payment block. */
export class StatusTally {
  private readonly byStatus = new Map<TransactionStatus, Tally>();

  add(status: TransactionStatus, amount: string): void {
    const { transactions, sum } = this.byStatus.get(status) ?? { transactions: 0, sum: '0' };
    const isPlain = sum !== undefined && parseDecimal(amount) !== undefined;
    this.byStatus.set(status, { transactions: transactions + 1, sum: isPlain ? addDecimals(sum, amount) : undefined });
  }

  status(): GroupStatus {
    return groupStatus(this.byStatus.keys());
  }

  /** Sorted by status. */
  counts(): { status: TransactionStatus; transactions: number; sum: string | undefined }[] {
    return [...this.byStatus]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([status, { transactions, sum }]) => ({ status, transactions, sum: ofType('Decimal', sum) }));
  }
}
