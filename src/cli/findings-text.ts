import type { Finding } from '../domain/finding.ts';
import { formatFinding } from '../rules/finding.ts';

const FINDINGS_SHOWN = 200;

/** Findings as lines, the first ones when there are very many. */
export function formatFindings(findings: readonly Finding[]): string {
  const shown = findings.slice(0, FINDINGS_SHOWN).map(formatFinding);
  const more = findings.length - shown.length;
  return [...shown, ...(more > 0 ? [`... and ${more} more (all of them with --json)`] : [])].join('\n');
}

const ROWS_SHOWN = 5;

/** What stops nothing: a line for each kind, with the rows that it is about. */
export function formatWarnings(warnings: readonly Finding[]): string {
  const kinds = Map.groupBy(warnings, ({ rule, column, message }) => JSON.stringify([rule, column, message]));
  return [...kinds.values()].map(warningLine).join('\n');
}

function warningLine(alike: readonly Finding[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  const rows = alike.flatMap(({ row }) => row ?? []);
  const more = rows.length > ROWS_SHOWN ? ` and ${rows.length - ROWS_SHOWN} more` : '';
  const where =
    rows.length === 0 ? '' : ` (${rows.length === 1 ? 'row' : 'rows'} ${rows.slice(0, ROWS_SHOWN).join(', ')}${more})`;
  const subject = [first.rule, first.column].filter((part) => part !== null).join(' ');
  return `warning: ${subject}: ${first.message}${where}`;
}
