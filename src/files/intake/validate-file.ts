import type { Finding } from '../../domain/finding.ts';
import { checkFile } from './check-file.ts';
import type { IntakeDeps } from './intake.ts';
import { invalidInput } from './intake-refusal.ts';
import { dropKnown } from './known-rows.ts';

/** A file without a finding. `known`: rows that were taken before. */
export interface ValidFile {
  file: string;
  rows: number;
  known: number;
  findings: readonly [];
  /** They stop nothing. */
  warnings: Finding[];
}

/**
 * Checks a file without paying it. `warned` is told of warnings first. Throws an `IntakeRefusal` with all findings of one pass.
 */
export async function validateFile(
  { store, bank, context, dueDate }: Pick<IntakeDeps, 'store' | 'bank' | 'context' | 'dueDate'>,
  path: string,
  warned: (warnings: Finding[]) => void = () => {},
): Promise<ValidFile> {
  const checked = await checkFile(path, bank, context, dueDate);
  using staged = checked.staged;
  const warnings = staged.warnings.list();
  warned(warnings);
  const { taken } = await dropKnown(store, checked);
  if (staged.findings.total > 0) throw invalidInput(staged.findings, 'Correct the file and validate it again.');
  return { file: checked.file, rows: staged.rowCount, known: taken.total, findings: [], warnings };
}
