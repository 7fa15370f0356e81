import { formatDecimal } from '../../domain/money.ts';
import { schemaDecimal } from '../iso20022/simple-types.ts';

/** A number that the message states about itself. */
interface Stated {
  name: 'NbOfTxs' | 'CtrlSum';
  shown: string;
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
  private readonly stated: Stated[] = [];

  state(stated: Stated): void {
    this.stated.push(stated);
  }

  /** An amount that is not a decimal is reported elsewhere. */
  add(amount: string): void {
    this.count += 1;
    this.sum += scaled(amount) ?? 0n;
  }

  /** Compared exactly: `100` equals `100.00`, but no other sum. A text that is not a number is reported elsewhere. */
  wrong(): WrongTotal[] {
    const count = `NbOfTxs differs from the ${this.count} transactions in the message; the file may be incomplete`;
    const sum = `CtrlSum differs from the sum of the amounts, ${shown(this.sum)}; an amount or the sum may have been changed`;
    const found = {
      NbOfTxs: { total: scaled(`${this.count}`), rule: 'wrong-transaction-count', message: count },
      CtrlSum: { total: this.sum, rule: 'wrong-control-sum', message: sum },
    } as const;
    return this.stated.flatMap((stated) => {
      const { total, ...wrong } = found[stated.name];
      return [undefined, total].includes(scaled(stated.shown)) ? [] : [{ ...stated, ...wrong }];
    });
  }
}

function scaled(text: string): bigint | undefined {
  const value = schemaDecimal(text);
  if (value === undefined || value.scale > SCALE) return undefined;
  return value.digits * 10n ** BigInt(SCALE - value.scale);
}

const shown = (sum: bigint): string => formatDecimal({ digits: sum, scale: SCALE }).replace(/\.?0+$/, '') || '0';
