import type { Bank } from '../api/bank.ts';
import { conditionOf } from '../api/errors.ts';
import type { BankCondition } from '../domain/bank-condition.ts';
import type { Finding } from '../domain/finding.ts';
import type { PayeeDetails } from '../domain/likeness.ts';
import { FindingList } from '../rules/finding-list.ts';
import type { CheckedFile } from './checked-file.ts';

/** Different ids looked up at most: a file with more is left to its payouts, which hold a row whose payee is unknown. */
const LOOK_UPS_MAX = 1_000;
const LOOK_UPS_AT_ONCE = 8;

/**
 * Takes out the rows whose account or beneficiary the bank does not know, as findings: better told before than held after. What
 * it knows of the payees stays with the file.
 */
export async function dropUnknown(bank: Bank, { file, staged }: CheckedFile): Promise<FindingList> {
  const found = new FindingList();
  const idsOf = (column: 'account_id' | 'beneficiary_id') => staged.values(column, LOOK_UPS_MAX);
  const accounts = await unknown(idsOf('account_id'), NOT_FOUND.account.rule, bank.accounts.get);
  const details = new Map<string, PayeeDetails>();
  const payees = await unknown(idsOf('beneficiary_id'), NOT_FOUND.beneficiary.rule, async (id) => {
    details.set(id, (await bank.beneficiaries.get(id)).items);
  });
  staged.payees = details;
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

/** The ids that the bank answers with `condition`; other refusals prove nothing here. */
async function unknown(
  ids: readonly string[],
  condition: BankCondition,
  read: (id: string) => Promise<unknown>,
): Promise<Set<string>> {
  const found = new Set<string>();
  const look = async (id: string): Promise<void> => {
    try {
      await read(id);
    } catch (error) {
      const told = conditionOf(error);
      if (told === undefined) throw error;
      if (told === condition) found.add(id);
    }
  };
  for (let i = 0; i < ids.length; i += LOOK_UPS_AT_ONCE)
    await Promise.all(ids.slice(i, i + LOOK_UPS_AT_ONCE).map(look));
  return found;
}
