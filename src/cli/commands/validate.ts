import { type MessageFiles, messageContextOf } from '../../compose/message-context.ts';
import { dueDate } from '../../domain/business-days.ts';
import { checkFile } from '../../intake/check-file.ts';
import { invalidInput } from '../../intake/intake-refusal.ts';
import { dropKnown } from '../../intake/known-rows.ts';
import { counted } from '../../reports/display.ts';
import { visible } from '../../rules/finding.ts';
import { formatWarnings } from '../findings-text.ts';
import type { Session } from '../session.ts';
import { withValidationBank } from '../validation-bank.ts';

/** `payouts validate FILE`: all findings in one pass; sends nothing and boots nothing. */
export async function validate(session: Session, path: string, files: MessageFiles): Promise<void> {
  await session.assertStoreFits();
  const context = await messageContextOf(session.config, files, Date.now());
  const { calendar } = session.config.settings;
  const dueDay = (executeOn: string, currency: string) => dueDate(executeOn, currency, calendar);
  const checked = await withValidationBank(session, (bank) => checkFile(path, bank, context, dueDay));
  using staged = checked.staged;
  const warnings = staged.warnings.list();
  if (warnings.length > 0) session.output.say(formatWarnings(warnings));
  const { taken } = await dropKnown(await session.store(), checked);
  if (staged.findings.total > 0) throw invalidInput(staged.findings, 'Correct the file and validate it again.');
  const known = taken.total === 0 ? '' : ` ${taken.total} of them were already taken.`;
  session.output.result(
    { file: checked.file, rows: staged.rowCount, known: taken.total, findings: [], warnings },
    `${visible(checked.file)}: ${counted(staged.rowCount, 'row')}, no findings.${known}`,
  );
}
