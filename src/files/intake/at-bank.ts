import { askBank, unsentOrders } from '../../activities/ask-first.ts';
import { demandedSinceOpening } from '../../activities/list-looks.ts';
import type { LookAtList, LookDeps } from '../../activities/look-at-list.ts';
import { listedFrom } from '../../bank/bank-time.ts';
import { doubtInWords, type LookDoubt } from '../../domain/absence.ts';
import type { Finding } from '../../domain/finding.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import { isNoMoney, stageMeaning } from '../../domain/order-status.ts';
import type { PayoutRecord, WatchKey } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import { FindingList } from '../rules/finding-list.ts';
import type { CheckedFile } from './checked-file.ts';

/** The bank's lists, as whoever takes a file looks at them. */
export interface BankLists extends LookDeps {
  lookAtList: LookAtList;
  /** When the file was handed over, epoch ms: rows are not paid again by what was seen before. */
  begunAt: number;
}

/** What the bank's lists have against paying the document of a payout again, in words; undefined: nothing. */
export async function shownAgainstRetry(
  lists: BankLists,
  { uid, documentId, generation, kind, instruction: { currency } }: PayoutRecord,
): Promise<string | undefined> {
  const next = { uid, documentId, generation: generation + 1, kind };
  const { doubt, earlier, own } = await askBank(lists, next, 'payment', [{ uid, currency }], lists.begunAt);
  const orders = [...own, ...earlier];
  if (orders.length > 0) return `the bank shows order ${orders.join(', ')} for this document`;
  // Its row waits until the list can tell.
  return doubt === undefined || doubt === 'too-soon' ? undefined : untold(doubt);
}

const untold = (doubt: LookDoubt): string =>
  `whether the bank has an order for it cannot be told: ${doubtInWords(doubt)}`;

/** Most lists that are read before a file is taken; of other users and currencies they are read before rows are sent. */
const LISTS_MAX = 200;
const LISTS_AT_ONCE = 4;

/**
 * Turns rows whose document the bank shows an order for, which this store did not send, into findings. A store that is new has to
 * be told so by the bank's lists, which are read once.
 */
export async function dropPaid(lists: BankLists, { file, staged }: CheckedFile): Promise<FindingList> {
  const found = new FindingList();
  await lookBeforeFirst(lists, await keysOf(staged));
  if (!(await lists.store.hasUnaskedOrders())) return found;
  for await (const { row, instruction, generation = 0 } of itemsInTurns(staged.claims())) {
    const { uid, id } = instruction;
    const unsent = await unsentOrders(lists, { uid, documentId: id, generation, kind: 'payout' });
    // One without money is followed to that end, and the row can be paid again then.
    const order = unsent.find(({ shown }) => shown === null || !isNoMoney(stageMeaning(shown.stage)));
    if (order === undefined) continue;
    const message = `the bank shows order ${order.orderId} for this document, which was not sent from this store; it may be paid already`;
    const finding: Finding = { file, line: staged.lineOf(row), row, column: 'id', value: id, rule: 'at-bank', message };
    found.add(finding);
    staged.finding(finding);
    staged.drop(row);
  }
  return found;
}

async function keysOf(staged: CheckedFile['staged']): Promise<WatchKey[]> {
  const keys = new Map<string, WatchKey>();
  for await (const { instruction } of itemsInTurns(staged.claims())) {
    const { uid, currency } = instruction;
    if (keys.size < LISTS_MAX) keys.set(JSON.stringify([uid, currency]), { uid, currency });
  }
  return [...keys.values()];
}

/** A list that proves nothing is read again before a row is sent, and holds it. */
async function lookBeforeFirst(lists: BankLists, keys: readonly WatchKey[]): Promise<void> {
  const looks = await lists.store.looksAt(keys);
  await someAtOnce(keys, LISTS_AT_ONCE, async (key) => {
    const look = looks.find(({ uid, currency }) => uid === key.uid && currency === key.currency);
    const demanded = await demandedSinceOpening(lists.store, look);
    if (demanded === undefined) return;
    const { from: since } = demanded;
    await lists.lookAtList({ ...key, since, from: listedFrom(lists, since), toProve: true });
  });
}
