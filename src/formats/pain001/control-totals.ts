import { formatDecimal } from '../../domain/money.ts';
import { schemaDecimal } from '../iso20022/simple-types.ts';

/** A number that the message states about itself. */
interface Stated {
  text: string;
  line: number;
  path: string;
}

interface WrongTotal extends Stated {
  rule: 'wrong-transaction-count' | 'wrong-control-sum';
  message: string;
}

/** As many decimals as a control sum may have. */
const SCALE = 17;

/** Number of transactions and sum of their amounts, whatever their currencies, against what the message states. */
export class ControlTotals {
  private count = 0;
  private sum = 0n;
  private statedCount: Stated | undefined;
  private statedSum: Stated | undefined;

  /** A text that is not a number is reported elsewhere, and not compared. */
  state(name: 'NbOfTxs' | 'CtrlSum', stated: Stated): void {
    if (scaled(stated.text) === undefined) return;
    if (name === 'NbOfTxs') this.statedCount = stated;
    else this.statedSum = stated;
  }

  /** An amount that is not a decimal is reported elsewhere. */
  add(amount: string): void {
    this.count += 1;
    this.sum += scaled(amount) ?? 0n;
  }

  /** Compared exactly: `100` equals `100.00`, but no other sum. */
  wrong(): WrongTotal[] {
    const found: WrongTotal[] = [];
    if (this.statedCount !== undefined && scaled(this.statedCount.text) !== scaled(`${this.count}`)) {
      const message = `NbOfTxs differs from the ${this.count} transactions in the message; the file may be incomplete`;
      found.push({ ...this.statedCount, rule: 'wrong-transaction-count', message });
    }
    if (this.statedSum !== undefined && scaled(this.statedSum.text) !== this.sum) {
      const message = `CtrlSum differs from the sum of the amounts, ${shown(this.sum)}; an amount or the sum may have been changed`;
      found.push({ ...this.statedSum, rule: 'wrong-control-sum', message });
    }
    return found;
  }
}

function scaled(text: string): bigint | undefined {
  const value = schemaDecimal(text);
  if (value === undefined || value.scale > SCALE) return undefined;
  return value.digits * 10n ** BigInt(SCALE - value.scale);
}

const shown = (sum: bigint): string => formatDecimal({ digits: sum, scale: SCALE }).replace(/\.?0+$/, '') || '0';
