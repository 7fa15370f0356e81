import { counted } from '../domain/display.ts';
import { type Finding, visible } from '../domain/finding.ts';
import { type ValidFile, validateFile } from '../files/intake/check.ts';
import { IntakeRefusal } from '../files/intake/intake-refusal.ts';
import type { MessageFiles } from '../files/messages/message-context.ts';
import { formatWarnings } from './output.ts';
import { assertNoMessageFiles, checking } from './run.ts';
import type { Session } from './session.ts';
import { withValidationBank } from './validation-bank.ts';

/** `payouts validate FILE`: all findings in one pass; sends nothing and boots nothing. */
export async function validate(
  session: Session,
  path: string,
  { offline, ...files }: MessageFiles & { offline: boolean },
): Promise<void> {
  const warn = (warnings: readonly Finding[]): void => {
    if (warnings.length > 0) session.output.say(formatWarnings(warnings));
  };
  const valid =
    session.gateway === undefined ? await validHere(session, path, { files, warn, offline }) : await there();
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
  { files, warn, offline }: { files: MessageFiles; warn: (warnings: readonly Finding[]) => void; offline: boolean },
): Promise<ValidFile> {
  await session.assertStoreFits();
  const store = await session.store();
  const { config } = session;
  const checked = await withValidationBank(session, (bank) =>
    validateFile({ config, store, bank, now: Date.now }, path, files, warn, { offline }),
  );
  if (checked instanceof IntakeRefusal) throw checked;
  return checked;
}
