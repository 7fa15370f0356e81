import { may, type Person } from '../../domain/authority.ts';
import type { BatchRecord, Store } from '../../store/store.ts';

/** Whose a batch is to control: its maker's, and an operator's whose scope holds all of it. */
export async function mayControl(
  store: Pick<Store, 'scopeFactsOfBatch'>,
  person: Person | undefined,
  { batchId, by }: Pick<BatchRecord, 'batchId' | 'by'>,
): Promise<boolean> {
  if (person === undefined) return false;
  if (by === person.name) return true;
  return (await store.scopeFactsOfBatch(batchId)).every((row) => may(person, 'resolve', row));
}
