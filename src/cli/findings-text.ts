import type { Finding } from '../domain/finding.ts';
import { formatFinding } from '../rules/finding.ts';

const FINDINGS_SHOWN = 200;

/** Findings as lines, the first ones when there are very many. */
export function formatFindings(findings: readonly Finding[]): string {
  const shown = findings.slice(0, FINDINGS_SHOWN).map(formatFinding);
  const more = findings.length - shown.length;
  return [...shown, ...(more > 0 ? [`... and ${more} more (all of them with --json)`] : [])].join('\n');
}
