import { aboutFile } from '../../domain/finding.ts';
import type { Store } from '../../store/store.ts';
import { FindingList } from '../rules/finding-list.ts';
import { itemsInTurns } from '../turns.ts';
import type { CheckedFile, MayTellOf } from './checked-file.ts';
import { invalidInput } from './intake-refusal.ts';

/**
 * A message id is used once: another file with the same id is refused, whatever its rows. The same bytes may be submitted again
 * for the rows that were refused the first time, and only for those: then this returns false.
 */
export async function messageIsNew(
  store: Store,
  { file, sha256, staged }: CheckedFile,
  mayTellOf: MayTellOf = async () => true,
): Promise<boolean> {
  const messageId = staged.original?.messageId;
  if (messageId === undefined) return false;
  const earlier = await store.batchOfMessage(messageId);
  if (earlier === undefined) return true;
  const refused = new Set<number>();
  if (earlier.sha256 === sha256) for await (const { row } of store.refusedRows(earlier.batchId)) refused.add(row);
  if (refused.size > 0 && (await isEvery(itemsInTurns(staged.claims()), ({ row }) => refused.has(row)))) return false;
  const found = new FindingList();
  const mayTell = await mayTellOf(earlier.batchId);
  const whose = mayTell ? `batch ${earlier.batchId} (${earlier.file})` : 'another batch';
  const message = `this message id was already used by ${whose}; a new file needs a new message id`;
  found.add({ file, ...aboutFile(1, 'message-id-reused', message), column: 'MsgId' });
  throw invalidInput(found, mayTell ? `payouts report ${earlier.batchId} shows its outcome.` : 'Give it a new one.');
}

async function isEvery<T>(items: AsyncIterable<T>, holds: (item: T) => boolean): Promise<boolean> {
  for await (const item of items) if (!holds(item)) return false;
  return true;
}
