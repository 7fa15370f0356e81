import { bothSides, type SidesOf } from '../compose/both-sides.ts';
import { objectionOf } from '../domain/payee-check.ts';
import { checkText } from '../reports/check-texts.ts';
import type { Comparison } from '../reports/comparison.ts';
import { shortId } from '../reports/display.ts';
import { wrap } from '../reports/wrap.ts';
import { visible } from '../rules/finding.ts';
import { checksShown } from '../services/payee-checks.ts';
import type { PayoutRecord, Store } from '../store/store.ts';
import { table } from './table.ts';

const SHOWN_MAX = 5;

/** The comparisons of the rows that have two sides, as text; empty if there are none. */
export async function bothSidesText(sides: SidesOf, payouts: readonly PayoutRecord[], width: number): Promise<string> {
  const texts: string[] = [];
  for (const row of payouts) {
    if (texts.length >= SHOWN_MAX) break;
    texts.push(...(await bothSides(sides, row)).map((it) => comparisonText(it, width)));
  }
  return texts.join('\n\n');
}

function comparisonText({ title, sides, lines, note }: Comparison, width: number): string {
  const rows = lines.map(({ name, values, differs }) => [name, ...values, differs ? 'differs' : '']);
  return [
    visible(title),
    ...(rows.length === 0 ? [] : [table(['of each', ...sides, 'same?'], rows, width)]),
    ...(note === undefined ? [] : wrap(note, width)),
  ].join('\n');
}

/** For rows held because of a verdict on their payee: what the verdict says, names included. */
export async function verdictsText(store: Store, payouts: readonly PayoutRecord[], width: number): Promise<string> {
  const lines: string[] = [];
  for (const row of payouts) {
    if (lines.length >= SHOWN_MAX) break;
    const check = (await checksShown(store, row)).find((it) => objectionOf(it) === row.reason?.code);
    if (check === undefined) continue;
    lines.push(...wrap(visible(`${row.documentId} (${shortId(row.reference)}): ${checkText(check)}`), width));
  }
  return lines.join('\n');
}
