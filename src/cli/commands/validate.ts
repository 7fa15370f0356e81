import { formatFinding } from '../../erp/finding.ts';
import { type CommandError, EXIT, type ExitCode } from '../exit.ts';
import { sortRows } from '../known-rows.ts';
import { checkFile, invalidInput } from '../read-batch.ts';
import type { Session } from '../session.ts';
import { withValidationBank } from '../validation-bank.ts';

/** `payouts validate FILE`: every finding in one pass; sends nothing and boots nothing. */
export async function validate(session: Session, path: string): Promise<ExitCode> {
  await session.assertStoreFits();
  const checked = await withValidationBank(session, (bank) => checkFile(path, bank));
  const sorted = await sortRows(
    await session.store(),
    checked.file,
    checked.rows,
    (row) => checked.lines.get(row) ?? 0,
  );
  const findings = [...checked.findings, ...sorted.reused];
  if (findings.length > 0) throw invalidInput(findings, 'Mend the file; nothing was sent.');
  const taken = sorted.taken.length === 0 ? '' : ` ${sorted.taken.length} of them were taken before.`;
  session.output.result(
    { schemaVersion: 1, file: checked.file, rows: checked.rowCount, known: sorted.taken.length, findings: [] },
    `${checked.file}: ${checked.rowCount} rows, no finding.${taken}`,
  );
  return EXIT.completed;
}

/** Findings as lines, the first ones when there are very many. */
export function findingsText(error: CommandError): string {
  const shown = error.findings.slice(0, FINDINGS_SHOWN).map(formatFinding);
  const more = error.findings.length - shown.length;
  return [...shown, ...(more > 0 ? [`... and ${more} more (all of them with --json)`] : [])].join('\n');
}

const FINDINGS_SHOWN = 200;
