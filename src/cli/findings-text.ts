import type { Finding } from '../domain/finding.ts';
import { formatFinding } from '../rules/finding.ts';

const FINDINGS_SHOWN = 200;
const ROWS_SHOWN = 5;

/**
 * Findings as lines, only the first of very many. A finding about one account or payee of a bank message is shown once, with all
 * its rows.
 */
export function formatFindings(findings: readonly Finding[]): string {
  const lines = [...Map.groupBy(findings, sameThing).values()].map(findingLine);
  const shown = lines.slice(0, FINDINGS_SHOWN);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`... and ${more} more (all of them with --json)`] : [])].join('\n');
}

/** Warnings, which stop nothing: one line for each kind, with its rows. */
export function formatWarnings(warnings: readonly Finding[]): string {
  const kinds = Map.groupBy(warnings, ({ rule, column, message }) => JSON.stringify([rule, column, message]));
  return [...kinds.values()].map(warningLine).join('\n');
}

/** Only findings of bank messages are merged across rows; in a table each row stands for itself. */
function sameThing({ line, row, column, value, rule, message, path }: Finding): string {
  const place = path === undefined || row === null ? [line, row, path] : [];
  return JSON.stringify([...place, column, value, rule, message]);
}

function findingLine(alike: readonly Finding[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  return alike.length === 1 ? formatFinding(first) : `${formatFinding(first)} (${rowsOf(alike)})`;
}

function warningLine(alike: readonly Finding[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  const subject = [first.rule, first.column].filter((part) => part !== null).join(' ');
  return `warning: ${subject}: ${first.message} (${rowsOf(alike)})`;
}

function rowsOf(findings: readonly Finding[]): string {
  const rows = [...new Set(findings.flatMap(({ row }) => row ?? []))];
  const more = rows.length > ROWS_SHOWN ? ` and ${rows.length - ROWS_SHOWN} more` : '';
  return `${rows.length === 1 ? 'row' : 'rows'} ${rows.slice(0, ROWS_SHOWN).join(', ')}${more}`;
}
