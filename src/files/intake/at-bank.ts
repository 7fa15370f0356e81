import type { ListReadDeps, ReadList } from '../../activities/deps.ts';
import { askBank, lastReads, listReader, unsentOrders } from '../../activities/lists.ts';
import type { Bank } from '../../bank/bank.ts';
import { listedFrom } from '../../bank/bank-time.ts';
import { conditionOf } from '../../bank/errors.ts';
import type { AccountBalance } from '../../bank/schemas/accounts.ts';
import { doubtInWords, type ReadDoubt } from '../../domain/absence.ts';
import type { Finding } from '../../domain/finding.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import { isNoMoney, stageMeaning } from '../../domain/order-status.ts';
import type { PayeeDetails } from '../../domain/payee.ts';
import type { BankCondition } from '../../domain/submission.ts';
import type { PayoutRecord, WatchKey } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import { FindingList } from '../rules/finding-list.ts';
import type { ReadFile, ReadingApp } from './read-input.ts';

/** The bank's lists, as read when a file is taken. */
export interface BankLists extends ListReadDeps {
  readList: ReadList;
  /** When the file was handed over, epoch ms: rows are not paid again by what was seen before. */
  begunAt: number;
}

/** As a file is handed over now. */
export function bankListsOf({ config, store, bank, now }: ReadingApp): BankLists {
  const listReads = { store, bank, settings: config.settings, now };
  return { ...listReads, readList: listReader(listReads), begunAt: now() };
}

/** What the bank's lists have against paying the document of a payout again like this, in words; undefined: nothing. */
export async function shownAgainstRetry(
  lists: BankLists,
  { uid, documentId, generation, kind }: PayoutRecord,
  instruction: PayoutInstruction,
): Promise<string | undefined> {
  const { currency } = instruction;
  const next = { uid, documentId, generation: generation + 1, kind, instruction };
  const { doubt, earlier, own } = await askBank(lists, next, 'payment', [{ uid, currency }], lists.begunAt);
  const orders = [...own, ...earlier];
  if (orders.length > 0) return `the bank shows order ${orders.join(', ')} for this document`;
  // Its row waits until the list can show it.
  return doubt === undefined || doubt === 'too-soon' ? undefined : doubtful(doubt);
}

const doubtful = (doubt: ReadDoubt): string =>
  `whether the bank has an order for it is unknown: ${doubtInWords(doubt)}`;

/** Most lists that are read before a file is taken; of other users and currencies they are read before rows are sent. */
const LISTS_MAX = 200;
const LISTS_AT_ONCE = 4;

/**
 * Turns rows whose document the bank shows an order for, which this store did not send, into findings. A store that is new has to
 * be shown by the bank's lists, which are read once.
 */
export async function dropPaid(lists: BankLists, { file, staged }: ReadFile): Promise<PaidRows> {
  const found = new FindingList();
  const explained = new Set<string>();
  const keys = await keysOf(staged);
  await readBeforeFirst(lists, keys);
  if (!(await lists.store.hasUnaskedOrders())) return { found, keys, explained };
  for await (const { row, instruction, generation = 0 } of itemsInTurns(staged.claims())) {
    const { uid, id } = instruction;
    const unsent = await unsentOrders(lists, { uid, documentId: id, generation, kind: 'payout' });
    for (const { orderId } of unsent) explained.add(orderId);
    // One without money is followed to that end, and the row can be paid again then.
    const order = unsent.find(({ shown }) => shown === null || !isNoMoney(stageMeaning(shown.stage)));
    if (order === undefined) continue;
    const message = `the bank shows order ${order.orderId} for this document, which was not sent from this store; it may be paid already`;
    const finding: Finding = { file, line: staged.lineOf(row), row, column: 'id', value: id, rule: 'at-bank', message };
    found.add(finding);
    staged.finding(finding);
    staged.drop(row);
  }
  return { found, keys, explained };
}

interface PaidRows {
  found: FindingList;
  /** The lists of the file, which were read if they had to be. */
  keys: readonly WatchKey[];
  /** Ids of the orders that are under references of its rows. */
  explained: ReadonlySet<string>;
}

async function keysOf(staged: ReadFile['staged']): Promise<WatchKey[]> {
  const keys = new Map<string, WatchKey>();
  for await (const { instruction } of itemsInTurns(staged.claims())) {
    const { uid, currency } = instruction;
    if (keys.size < LISTS_MAX) keys.set(JSON.stringify([uid, currency]), { uid, currency });
  }
  return [...keys.values()];
}

/** A list that proves nothing is read again before a row is sent, and holds it. */
async function readBeforeFirst(lists: BankLists, keys: readonly WatchKey[]): Promise<void> {
  await someAtOnce(await lastReads(lists.store, keys), LISTS_AT_ONCE, async ({ key, sinceOpening }) => {
    if (sinceOpening === undefined) return;
    const { from: since } = sinceOpening;
    await lists.readList({ ...key, since, from: listedFrom(lists, since), toProve: true });
  });
}

/**
 * Limit of ids looked up (an id named by two users counts twice). With more, unknown payees are left to the payouts, which are
 * then held.
 */
const LOOKUPS_MAX = 1_000;
const LOOKUPS_AT_ONCE = 8;

/**
 * Turns rows into findings whose account or beneficiary the bank does not know, or whose account belongs to another user: better
 * reported before than held or failed later. Warns of beneficiaries of another user. What is learnt of accounts and payees stays
 * with the file.
 */
export async function dropUnknown(bank: Bank, { file, staged }: ReadFile): Promise<FindingList> {
  const found = new FindingList();
  const details = new Map<string, PayeeDetails>();
  const known = new Map<string, AccountBalance>();
  const owners = new Map<string, string>();
  /** Payees are kept for one currency each (interface section 1). */
  const currencies = new Map<string, string>();
  const namedIn = (column: NamedColumn) => staged.idsNamed(column, LOOKUPS_MAX);
  const accounts = await missingOf(await namedIn('account_id'), NOT_FOUND.account.rule, async (id) => {
    known.set(id, await bank.accounts.get(id));
  });
  const named = await namedIn('beneficiary_id');
  const payees = await missingOf(named, NOT_FOUND.beneficiary.rule, async (id) => {
    const { items, uid, currency } = await bank.beneficiaries.get(id);
    details.set(id, items);
    currencies.set(id, currency);
    owners.set(id, uid);
  });
  const foreign = named.filter(({ id, uid }) => (owners.get(id) ?? uid) !== uid);
  staged.warning(...foreign.map(({ id, row }) => ({ ...otherUser(id), file, line: staged.lineOf(row), row })));
  staged.payees = details;
  staged.accounts = known;
  staged.payeeOwners = owners;
  for await (const { row, instruction } of itemsInTurns(staged.claims())) {
    const { account_id: account, beneficiary_id: payee } = instruction;
    const wrong: Omit<Finding, 'file' | 'line' | 'row'>[] = [];
    if (accounts.has(account)) wrong.push({ ...NOT_FOUND.account, value: account });
    if ((known.get(account)?.uid ?? instruction.uid) !== instruction.uid) wrong.push({ ...NOT_OWN, value: account });
    if (payee !== undefined && payees.has(payee)) wrong.push({ ...NOT_FOUND.beneficiary, value: payee });
    const its = payee === undefined ? undefined : currencies.get(payee);
    if (its !== undefined && its !== instruction.currency)
      wrong.push({ ...otherCurrency(its, instruction.currency), value: payee ?? null });
    if (wrong.length === 0) continue;
    const at = { file, line: staged.lineOf(row), row };
    const findings = wrong.map((it) => ({ ...it, ...at }));
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

const otherCurrency = (its: string, asked: string) => ({
  column: 'beneficiary_id',
  rule: 'beneficiary-currency',
  message: `the bank has this beneficiary for ${its}, and the row pays ${asked}; name one for ${asked}`,
});

type NamedColumn = 'account_id' | 'beneficiary_id';

const NOT_OWN = {
  column: 'account_id',
  rule: 'account-not-own',
  message: 'the bank has this account under another user, whose money a payout never takes; correct uid or account_id',
} as const;

const otherUser = (value: string) => ({
  column: 'beneficiary_id',
  rule: 'other-user',
  message: 'the bank has it under another user; check uid and beneficiary_id',
  value,
});

/** Reads each id, and returns those that the bank refuses with `condition`; other refusals prove nothing here. */
async function missingOf(
  named: readonly { id: string }[],
  condition: BankCondition,
  read: (id: string) => Promise<void>,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  await someAtOnce([...new Set(named.map(({ id }) => id))], LOOKUPS_AT_ONCE, async (id) => {
    try {
      await read(id);
    } catch (error) {
      const reported = conditionOf(error);
      if (reported === undefined) throw error;
      if (reported === condition) missing.add(id);
    }
  });
  return missing;
}
