import type { Bank } from '../../bank/bank.ts';
import { conditionOf } from '../../bank/errors.ts';
import type { BankCondition } from '../../domain/bank-condition.ts';
import type { Finding } from '../../domain/finding.ts';
import type { PayeeDetails } from '../../domain/likeness.ts';
import { someAtOnce } from '../../domain/some-at-once.ts';
import { FindingList } from '../rules/finding-list.ts';
import { itemsInTurns } from '../turns.ts';
import type { CheckedFile } from './checked-file.ts';

/**
 * Limit of ids looked up (an id named by two users counts twice). With more, unknown payees are left to the payouts, which are
 * then held.
 */
const LOOK_UPS_MAX = 1_000;
const LOOK_UPS_AT_ONCE = 8;

/**
 * Turns rows whose account or beneficiary the bank does not know into findings: better reported before than held later. Warns of
 * those that belong to another user than the row's. What is learnt of the payees stays with the file.
 */
export async function dropUnknown(bank: Bank, { file, staged }: CheckedFile): Promise<FindingList> {
  const found = new FindingList();
  const details = new Map<string, PayeeDetails>();
  const look = async (column: NamedColumn, rule: BankCondition, ownerOf: (id: string) => Promise<string>) => {
    const named = await staged.idsNamed(column, LOOK_UPS_MAX);
    const { owners, missing } = await lookedUp(new Set(named.map(({ id }) => id)), rule, ownerOf);
    const foreign = named.filter(({ id, uid }) => (owners.get(id) ?? uid) !== uid);
    staged.warning(
      ...foreign.map(({ id, row }) => ({ ...otherUser(column, id), file, line: staged.lineOf(row), row })),
    );
    return missing;
  };
  const accounts = await look('account_id', NOT_FOUND.account.rule, async (id) => (await bank.accounts.get(id)).uid);
  const payees = await look('beneficiary_id', NOT_FOUND.beneficiary.rule, async (id) => {
    const { items, uid } = await bank.beneficiaries.get(id);
    details.set(id, items);
    return uid;
  });
  staged.payees = details;
  if (accounts.size + payees.size === 0) return found;
  for await (const { row, instruction } of itemsInTurns(staged.claims())) {
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

type NamedColumn = 'account_id' | 'beneficiary_id';

const otherUser = (column: NamedColumn, value: string) => ({
  column,
  rule: 'other-user',
  message: `the bank has it under another user; check uid and ${column}`,
  value,
});

/** The owner of each id, and the ids that the bank refuses with `condition`; other refusals prove nothing here. */
async function lookedUp(
  ids: ReadonlySet<string>,
  condition: BankCondition,
  ownerOf: (id: string) => Promise<string>,
): Promise<{ owners: ReadonlyMap<string, string>; missing: ReadonlySet<string> }> {
  const owners = new Map<string, string>();
  const missing = new Set<string>();
  await someAtOnce([...ids], LOOK_UPS_AT_ONCE, async (id) => {
    try {
      owners.set(id, await ownerOf(id));
    } catch (error) {
      const told = conditionOf(error);
      if (told === undefined) throw error;
      if (told === condition) missing.add(id);
    }
  });
  return { owners, missing };
}
