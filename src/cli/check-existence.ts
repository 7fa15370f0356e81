import type { Bank } from '../api/bank.ts';
import { BankError } from '../api/errors.ts';
import type { Finding } from '../erp/finding.ts';
import type { ClaimRow } from '../store/store.ts';

/** Different ids looked up at most: a file with more is left to its payouts, which hold a row whose payee is unknown. */
const LOOK_UPS_MAX = 1_000;
const LOOK_UPS_AT_ONCE = 8;

/** Rows whose account or beneficiary the bank does not know, as findings: better told before than held after. */
export async function checkExistence(
  bank: Bank,
  file: string,
  rows: readonly ClaimRow[],
  lines: ReadonlyMap<number, number>,
): Promise<Finding[]> {
  const unknownAccounts = await unknown(idsOf(rows, 'account_id'), 2006, (id) => bank.accounts.get(id));
  const unknownPayees = await unknown(idsOf(rows, 'beneficiary_id'), 2004, (id) => bank.beneficiaries.get(id));
  return rows.flatMap(({ row, instruction }) => {
    const at = { file, line: lines.get(row) ?? 0, row };
    const found: Finding[] = [];
    if (unknownAccounts.has(instruction.account_id)) {
      found.push({ ...at, ...finding('account_id', instruction.account_id, 'account-not-found', 'account') });
    }
    if (instruction.beneficiary_id !== undefined && unknownPayees.has(instruction.beneficiary_id)) {
      found.push({
        ...at,
        ...finding('beneficiary_id', instruction.beneficiary_id, 'beneficiary-not-found', 'beneficiary'),
      });
    }
    return found;
  });
}

const finding = (column: string, value: string, rule: string, what: string) => ({
  column,
  value,
  rule,
  message: `the bank does not know this ${what}; correct the id`,
});

function idsOf(rows: readonly ClaimRow[], column: 'account_id' | 'beneficiary_id'): string[] {
  return [...new Set(rows.flatMap(({ instruction }) => instruction[column] ?? []))].slice(0, LOOK_UPS_MAX);
}

/** The ids that the bank answers with `code`; other refusals prove nothing here. */
async function unknown(
  ids: readonly string[],
  code: number,
  read: (id: string) => Promise<unknown>,
): Promise<Set<string>> {
  const found = new Set<string>();
  const look = async (id: string): Promise<void> => {
    try {
      await read(id);
    } catch (error) {
      if (!(error instanceof BankError) || error.code === undefined) throw error;
      if (error.code === code) found.add(id);
    }
  };
  for (let i = 0; i < ids.length; i += LOOK_UPS_AT_ONCE)
    await Promise.all(ids.slice(i, i + LOOK_UPS_AT_ONCE).map(look));
  return found;
}
