import type { Bank } from '../../bank/bank.ts';
import type { RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';
import { type Finding, shownValue } from '../../domain/finding.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { itemsInTurns } from '../input.ts';
import type { MessageFiles } from '../messages/message-context.ts';
import { withoutField } from '../not-carried.ts';
import type { ReadRow } from '../rules/read-row.ts';
import { Rules } from '../rules/validate.ts';
import { type Days, warningsOf } from '../rules/warnings.ts';
import { dropUnknown } from './at-bank.ts';
import { IntakeRefusal, invalidInput } from './intake-refusal.ts';
import { claimRow, dropKnown } from './known-rows.ts';
import { daysOf, type ReadFile, type ReadingApp, readFile, type TakeOptions } from './read-input.ts';

/**
 * Checks all rows by all rules in one pass; rows without a finding become claims. `bank` gives the required-details. With `days`,
 * also warns.
 */
export async function checkRows(bank: Bank, { file, staged }: ReadFile, days?: Days): Promise<void> {
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
      const { row, line, path, reference } = read;
      if (days === undefined) continue;
      const place = { file, line, row, ...(path === undefined ? {} : { path }) };
      const warnings = warningsOf(instruction, days, reference);
      staged.warning(
        ...warnings.map((it) => ({ ...place, ...it, value: shownValue(it.column, instruction[it.column]) })),
      );
      const left = leftOut(read, instruction);
      if (left !== undefined) staged.warning({ ...place, column: null, value: null, ...left });
    }
  }
}

/** What a bank message says of a payee and this bank does not ask for. */
function leftOut(
  { instruction: read, spare = [] }: ReadRow,
  instruction: PayoutInstruction,
): ReturnType<typeof withoutField> | undefined {
  // The country of the bank is that of its BIC, and an IBAN names the bank.
  const known = ['region_country', ...(instruction.iban_no === undefined ? [] : ['swift_code'])];
  const left = spare.filter((name) => read[name]?.trim() && instruction[name] === undefined && !known.includes(name));
  return left.length === 0 ? undefined : withoutField(`${left.join(', ')} of such a payee`);
}

/** The refusal of a checked file; undefined if its rows, or with `skip` those without a finding, may be paid. */
export function refusalOf({ staged }: ReadFile, { invalid }: TakeOptions): IntakeRefusal | undefined {
  const { findings, claimCount } = staged;
  if (findings.total === 0) return undefined;
  // A finding without a row means that the whole file is in doubt: its other rows are not paid either.
  if (invalid === 'skip' && !findings.aboutFile && claimCount > 0) return undefined;
  return invalidInput(findings, mendOf(staged));
}

function mendOf({ findings, claimCount }: ReadFile['staged']): string {
  if (findings.aboutFile) return 'Correct the file and run it again.';
  if (claimCount === 0) return 'Correct what the findings name and run it again.';
  return 'Correct the rows, or run with --invalid skip to pay the others.';
}

/** A file without a finding. `known`: rows that were taken before. */
export interface ValidFile {
  file: string;
  rows: number;
  known: number;
  findings: readonly [];
  /** They stop nothing. */
  warnings: Finding[];
}

/** Checks a file without paying it, its ids at the bank too unless `offline`. `warned` gets the warnings first. A refusal has all findings of one pass. */
export async function validateFile(
  app: ReadingApp,
  path: string,
  files: MessageFiles = {},
  warned: (warnings: Finding[]) => void = () => {},
  { offline = false }: { offline?: boolean } = {},
): Promise<ValidFile | IntakeRefusal> {
  const read = await readFile(app, path, files);
  if (read instanceof IntakeRefusal) return read;
  using staged = read.staged;
  await checkRows(app.bank, read, daysOf(app));
  const { taken } = await dropKnown(app.store, read);
  // Of rows that were taken the ids are not asked again.
  if (!offline) await dropUnknown(app.bank, read);
  const warnings = staged.warnings.list();
  warned(warnings);
  if (staged.findings.total > 0) return invalidInput(staged.findings, 'Correct the file and validate it again.');
  return { file: read.file, rows: staged.rowCount, known: taken.total, findings: [], warnings };
}
