import type { Order } from '../../bank/schemas/orders.ts';
import { referenceForm } from '../../domain/reference-form.ts';
import { narrowed, type ReferenceSpelling, shownInstead, spellingsOf } from '../../domain/reference-spelling.ts';
import type { SendAttempt, Store } from '../../store/store.ts';

/**
 * What this process knows of the spellings in its store. They only become fewer, so that an order which takes none of these away
 * takes none from the store either: in the long run nothing is read or written.
 */
const seen = new WeakMap<object, readonly ReferenceSpelling[]>();

/**
 * Learns from an order how the bank spells references. One is enough, if the bank itself has told its id for an attempt: then the
 * two belong together. A text that is no form of the reference says nothing: it is another's, or another number.
 */
export async function learnSpelling(
  store: Pick<Store, 'narrowReferenceSpellings'>,
  { reference, attempts }: { reference: string; attempts: readonly Pick<SendAttempt, 'orderId'>[] },
  { order_id: id, client_order_id: shown }: Order,
): Promise<void> {
  if (shown === undefined || referenceForm(shown, reference) === 'other') return;
  if (!attempts.some(({ orderId }) => orderId === id)) return;
  const spellings = spellingsOf(reference, shown);
  const before = seen.get(store);
  if (before !== undefined && narrowed(before, spellings).length === before.length) return;
  seen.set(store, await store.narrowReferenceSpellings(spellings));
}

/** Characters that no two of our references are expected to share (`referenceForm`). */
const BEGINNING = 16;

/**
 * What the bank shows in place of a reference, as learned; undefined if nothing was learned, or another reference that was sent
 * could be shown in the same way.
 */
export async function learnedForm(
  store: Pick<Store, 'referenceSpellings' | 'referencesSentBeginning'>,
  reference: string,
): Promise<string | undefined> {
  const shown = shownInstead(reference, await store.referenceSpellings());
  if (shown === undefined) return undefined;
  const alike = await store.referencesSentBeginning(reference.slice(0, BEGINNING));
  return alike.some((other) => other !== reference) ? undefined : shown;
}
