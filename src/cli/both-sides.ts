import type { WaitingPayout } from '../channels/http/operations/waiting.ts';
import { shortId, wrap } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { objectionOf } from '../domain/payee.ts';
import { checkText } from '../reports/check-texts.ts';
import type { Comparison } from '../reports/comparison.ts';
import { table } from './output.ts';

const SHOWN_MAX = 5;

/** Comparisons as text; empty if there are none. */
export const bothSidesText = (sides: readonly Comparison[], width: number): string =>
  sides.map((it) => comparisonText(it, width)).join('\n\n');

function comparisonText({ title, sides, lines, note }: Comparison, width: number): string {
  const rows = lines.map(({ name, values, differs }) => [name, ...values, differs ? 'differs' : '']);
  return [
    visible(title),
    ...(rows.length === 0 ? [] : [table(['of each', ...sides, 'same?'], rows, width)]),
    ...(note === undefined ? [] : wrap(note, width)),
  ].join('\n');
}

/** For rows held because of a verdict on their payee: what the verdict says, names included. */
export function verdictsText(waiting: readonly Pick<WaitingPayout, 'row' | 'checks'>[], width: number): string {
  const judged = waiting.flatMap(({ row, checks }) => {
    const check = checks.find((it) => objectionOf(it) === row.reason?.code);
    return check === undefined ? [] : [{ row, check }];
  });
  return judged
    .slice(0, SHOWN_MAX)
    .flatMap(({ row: { documentId, reference }, check }) =>
      wrap(visible(`${documentId} (${shortId(reference)}): ${checkText(check)}`), width),
    )
    .join('\n');
}
