import type { Bank } from '../api/bank.ts';
import type { RequiredDetailsEntry } from '../api/schemas/beneficiaries.ts';
import { claimRows } from '../erp/claims.ts';
import type { Finding } from '../erp/finding.ts';
import { readInstructions } from '../erp/read-file.ts';
import { requiredDetailsPairs, validateRows } from '../erp/validate.ts';
import type { ClaimRow } from '../store/store.ts';
import { CommandError, EXIT } from './exit.ts';

/** A file of payouts, read and checked against every rule that needs no claim. */
export interface CheckedFile {
  file: string;
  sha256: string;
  /** Data rows in the file. */
  rowCount: number;
  rows: ClaimRow[];
  /** Line of the file where each data row starts. */
  lines: ReadonlyMap<number, number>;
  findings: Finding[];
}

/** Reads and validates a file; `bank` answers required-details. Throws a usage error when it cannot be opened. */
export async function checkFile(path: string, bank: Bank): Promise<CheckedFile> {
  const input = await readInstructions(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new CommandError(EXIT.usage, 'file-unreadable', `${path} cannot be read (${error.code}).`, {
      hint: 'Name an existing CSV or JSON file.',
    });
  });
  const details = await requiredDetailsFor(bank, input.rows);
  const validated = validateRows({
    file: input.file,
    columns: input.columns,
    rows: input.rows,
    requiredDetails: (currency, beneficiaryType) => details.get(`${currency} ${beneficiaryType}`),
  });
  return {
    file: input.file,
    sha256: input.sha256,
    rowCount: input.rows.length,
    rows: claimRows(validated.instructions),
    lines: new Map(input.rows.map(({ row, line }) => [row, line])),
    findings: [...input.findings, ...validated.findings],
  };
}

async function requiredDetailsFor(
  bank: Bank,
  rows: Parameters<typeof requiredDetailsPairs>[0],
): Promise<Map<string, RequiredDetailsEntry[]>> {
  const details = new Map<string, RequiredDetailsEntry[]>();
  for (const { currency, beneficiaryType } of requiredDetailsPairs(rows)) {
    details.set(`${currency} ${beneficiaryType}`, await bank.beneficiaries.requiredDetails(currency, beneficiaryType));
  }
  return details;
}

/** The error of a file that may not be paid as it is. */
export function invalidInput(findings: readonly Finding[], hint: string): CommandError {
  const rows = new Set(findings.map(({ row }) => row)).size;
  return new CommandError(
    EXIT.invalidInput,
    'input-invalid',
    `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'} in ${rows} ${rows === 1 ? 'place' : 'places'}; nothing was sent.`,
    { findings, hint },
  );
}
