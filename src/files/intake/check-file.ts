import type { Bank } from '../../bank/bank.ts';
import type { RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';
import { shownValue } from '../../domain/finding.ts';
import { itemsInTurns, whyUnreadable } from '../input.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { FILE_NAMES, readInstructions } from '../read-file.ts';
import { Rules } from '../rules/validate.ts';
import { type Days, warningsOf } from '../rules/warnings.ts';
import type { CheckedFile } from './checked-file.ts';
import { claimRow } from './claims.ts';
import { IntakeRefusal } from './intake-refusal.ts';
import { StagedFile } from './staged-file.ts';

/** Reads and validates a file; `bank` gives the required-details. Rejects with an `IntakeRefusal` if it cannot be opened. */
export async function checkFile(
  path: string,
  bank: Bank,
  context: MessageContext,
  dueDate: Days['dueDate'] = (executeOn) => executeOn,
): Promise<CheckedFile> {
  const staged = new StagedFile();
  try {
    const input = await readInstructions(path, staged, context).catch((error: NodeJS.ErrnoException) => {
      // Others with a code are not about the file: a full disk under the rows read so far, say.
      if (error.syscall === undefined) throw error;
      throw new IntakeRefusal('usage', 'file-unreadable', `${path} ${whyUnreadable(error)}.`, {
        hint: `Name an existing file: ${FILE_NAMES}.`,
      });
    });
    staged.readingEnded();
    await judgeRows(input.file, staged, bank, { today: context.today, dueDate });
    return { ...input, staged };
  } catch (error) {
    staged[Symbol.dispose]();
    throw error;
  }
}

/** All findings of all rows in one pass; rows without one become claims. With `days`, also warns about dates. */
export async function judgeRows(file: string, staged: StagedFile, bank: Bank, days?: Days): Promise<void> {
  const details = new Map<string, RequiredDetailsEntry[]>();
  for (const { currency, beneficiaryType } of staged.pairs.list()) {
    details.set(`${currency} ${beneficiaryType}`, await bank.beneficiaries.requiredDetails(currency, beneficiaryType));
  }
  const rules = new Rules({
    file,
    columns: staged.columns,
    pairs: staged.pairs,
    requiredDetails: (currency, beneficiaryType) => details.get(`${currency} ${beneficiaryType}`),
    firstOf: (uid, id) => staged.firstOf(uid, id),
  });
  staged.finding(...rules.findings);
  for await (const read of itemsInTurns(staged.rows())) {
    const { instruction, findings } = rules.judge(read);
    staged.finding(...findings);
    if (findings.length === 0 && !read.unsound) {
      staged.claim(claimRow({ row: read.row, instruction, original: read.original }));
      const { row, line, path } = read;
      const warnings = days === undefined ? [] : warningsOf(instruction, days);
      const place = { file, line, row, ...(path === undefined ? {} : { path }) };
      staged.warning(
        ...warnings.map((it) => ({ ...place, ...it, value: shownValue(it.column, instruction[it.column]) })),
      );
    }
  }
}
