import { narrowed, type ReferenceSpelling } from '../domain/reference-spelling.ts';
import type { Database } from './engine/database.ts';
import { metaValue, setMeta } from './engine/meta.ts';
import { inTransaction } from './engine/transaction.ts';

const KEY = 'reference_spellings';

/** Spellings of references that explain all that the bank has shown; empty: there is none. Undefined: nothing was seen. */
export async function referenceSpellings(db: Database): Promise<readonly ReferenceSpelling[] | undefined> {
  const value = await metaValue(db, KEY);
  return value === undefined ? undefined : JSON.parse(value);
}

/** Keeps those that explain one more order too, and returns them. */
export function narrowReferenceSpellings(
  db: Database,
  shown: readonly ReferenceSpelling[],
): Promise<readonly ReferenceSpelling[]> {
  return inTransaction(db, async (transaction) => {
    const before = await referenceSpellings(transaction);
    const left = narrowed(before, shown);
    if (left.length !== before?.length) await setMeta(transaction, KEY, JSON.stringify(left));
    return left;
  });
}

/** A few of the references that were sent, for any payout, and begin so: all, if there are at most two. */
export async function referencesSentBeginning(db: Database, beginning: string): Promise<string[]> {
  const found = await db
    .selectFrom('sendAttempts')
    .select('reference')
    .distinct()
    // As a range, for the index. After a digit of a UUID comes another one, or a hyphen.
    .where('reference', '>=', beginning)
    .where('reference', '<', `${beginning}g`)
    .limit(3)
    .execute();
  return found.map(({ reference }) => reference);
}
