import { dueDate } from '../../domain/business-days.ts';
import { counted } from '../../domain/display.ts';
import type { Finding } from '../../domain/finding.ts';
import { visible } from '../../domain/finding.ts';
import { type MessageFiles, messageContextOf } from '../../files/intake/message-context.ts';
import { type ValidFile, validateFile } from '../../files/intake/validate-file.ts';
import { formatWarnings } from '../findings-text.ts';
import { assertNoMessageFiles, checking } from '../hand-over.ts';
import type { Session } from '../session.ts';
import { withValidationBank } from '../validation-bank.ts';

/** `payouts validate FILE`: all findings in one pass; sends nothing and boots nothing. */
export async function validate(session: Session, path: string, files: MessageFiles): Promise<void> {
  const warn = (warnings: readonly Finding[]): void => {
    if (warnings.length > 0) session.output.say(formatWarnings(warnings));
  };
  const valid = session.gateway === undefined ? await validHere(session, path, { files, warn }) : await there();
  const { file, rows, known, warnings } = valid;
  const taken = known === 0 ? '' : ` ${known} of them were already taken.`;
  session.output.result(
    { file, rows, known, findings: [], warnings },
    `${visible(file)}: ${counted(rows, 'row')}, no findings.${taken}`,
  );

  async function there(): Promise<ValidFile> {
    assertNoMessageFiles(files);
    const checked = await checking(session, path);
    warn(checked.warnings);
    return checked;
  }
}

async function validHere(
  session: Session,
  path: string,
  { files, warn }: { files: MessageFiles; warn: (warnings: readonly Finding[]) => void },
): Promise<ValidFile> {
  await session.assertStoreFits();
  const store = await session.store();
  const context = await messageContextOf(session.config, files, Date.now());
  const { calendar } = session.config.settings;
  const dueDay = (executeOn: string, currency: string) => dueDate(executeOn, currency, calendar);
  return withValidationBank(session, (bank) => validateFile({ store, bank, context, dueDate: dueDay }, path, warn));
}
