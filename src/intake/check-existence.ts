import type { Bank } from '../api/bank.ts';
import { BankError } from '../api/errors.ts';
import type { Finding } from '../domain/finding.ts';
import { FindingList } from '../rules/finding-list.ts';
import type { CheckedFile } from './check-file.ts';

/** Different ids looked up at most: a file with more is left to its payouts, which hold a row whose payee is unknown. */
const LOOK_UPS_MAX = 1_000;
const LOOK_UPS_AT_ONCE = 8;

/**
 * Takes out the rows whose account or beneficiary the bank does not know, as findings: better told before than held after.
 */
export async function dropUnknown(bank: Bank, { file, staged }: CheckedFile): Promise<FindingList> {
  const found = new FindingList();
  const accounts = await unknown(staged.values('account_id', LOOK_UPS_MAX), 2006, (id) => bank.accounts.get(id));
  const payees = await unknown(staged.values('beneficiary_id', LOOK_UPS_MAX), 2004, (id) => bank.beneficiaries.get(id));
  if (accounts.size + payees.size === 0) return found;
  for (const { row, instruction } of staged.claims()) {
    const { account_id: account, beneficiary_id: payee } = instruction;
    const findings: Finding[] = [];
    const at = { file, line: staged.lineOf(row), row };
    if (accounts.has(account)) findings.push({ ...at, ...NOT_FOUND.account, value: account });
    if (payee !== undefined && payees.has(payee)) findings.push({ ...at, ...NOT_FOUND.beneficiary, value: payee });
    if (findings.length === 0) continue;
    found.add(...findings);
    staged.finding(...findings);
    staged.drop(row);
  }
  return found;
}

const NOT_FOUND = {
  account: {
    column: 'account_id',
    rule: 'account-not-found',
    message: 'the bank does not know this account; correct the id',
  },
  beneficiary: {
    column: 'beneficiary_id',
    rule: 'beneficiary-not-found',
    message: 'the bank does not know this beneficiary; correct the id',
  },
} as const;

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
