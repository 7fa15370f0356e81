import { createInterface } from 'node:readline/promises';
import { addDecimals, formatMinor, parseAmount } from '../domain/money.ts';
import type { ClaimRow } from '../store/store.ts';
import { CommandError, EXIT } from './exit.ts';

/** What a run is about to do, per currency of the payouts. */
export interface Plan {
  file: string;
  payouts: number;
  newBeneficiaries: number;
  totals: { currency: string; count: number; amount: string }[];
}

export function planOf(file: string, rows: readonly ClaimRow[]): Plan {
  const byCurrency = Map.groupBy(rows, ({ instruction }) => instruction.currency);
  return {
    file,
    payouts: rows.length,
    newBeneficiaries: rows.filter(({ instruction }) => instruction.beneficiary_id === undefined).length,
    totals: [...byCurrency].sort().map(([currency, group]) => ({
      currency,
      count: group.length,
      amount: addDecimals(...group.map(({ instruction }) => plainAmount(instruction.amount, currency))),
    })),
  };
}

function plainAmount(amount: string, currency: string): string {
  const parsed = parseAmount(amount, currency);
  return parsed.ok ? formatMinor(parsed.minor, currency) : amount;
}

export function planText({ file, payouts, newBeneficiaries, totals }: Plan): string {
  const lines = totals.map(({ currency, count, amount }) => `  ${currency}  ${amount.padStart(18)}  in ${count}`);
  const payees = newBeneficiaries === 0 ? '' : `, ${newBeneficiaries} to payees named by their details`;
  return [`${file}: ${payouts} payouts${payees}`, ...lines].join('\n');
}

/** Asks on the terminal; without one `--yes` is needed. Throws when the answer is not yes. */
export async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CommandError(EXIT.usage, 'confirmation-needed', 'There is no terminal to ask on.', {
      hint: 'Add --yes to go ahead without a question.',
    });
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question(`${question} [y/N] `);
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new CommandError(EXIT.usage, 'not-confirmed', 'Not confirmed; nothing was sent.');
  }
}
