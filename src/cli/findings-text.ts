import type { Finding } from '../domain/finding.ts';
import { formatFinding, rowsText, warningsByKind } from '../domain/finding.ts';

const FINDINGS_SHOWN = 200;

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
export const formatWarnings = (warnings: readonly Finding[]): string =>
  warningsByKind(warnings).map(warningLine).join('\n');

/** Only findings of bank messages are merged across rows; in a table each row stands for itself. */
function sameThing({ line, row, column, value, rule, message, path }: Finding): string {
  const place = path === undefined || row === null ? [line, row, path] : [];
  return JSON.stringify([...place, column, value, rule, message]);
}

function findingLine(alike: readonly Finding[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  return alike.length === 1 ? formatFinding(first) : `${formatFinding(first)} (${rowsText(alike)})`;
}

function warningLine(alike: readonly Finding[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  const subject = [first.rule, first.column].filter((part) => part !== null).join(' ');
  return `warning: ${subject}: ${first.message} (${rowsText(alike)})`;
}
