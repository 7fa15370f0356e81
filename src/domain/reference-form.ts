/**
 * How a bank shows a reference beside how it was sent. `respelled`: in another case, with blanks around it, or without its
 * hyphens, or in braces; `cut`: its beginning, spelled in any way; `other`: it is another reference. The interface says that
 * `client_order_id` is the reference supplied (section 2), not that every byte of it comes back.
 */
export type ReferenceForm = 'as-sent' | 'respelled' | 'cut' | 'other';

/** So many digits of a UUID, its first 16 characters, hold 52 bits that tell it from others; a shorter beginning is another reference. */
const STEM_LENGTH = 14;

export function referenceForm(shown: string, sent: string): ReferenceForm {
  if (shown === sent) return 'as-sent';
  const [folded, whole] = [fold(shown), fold(sent)];
  if (folded === whole) return 'respelled';
  return folded.length >= STEM_LENGTH && whole.startsWith(folded) ? 'cut' : 'other';
}

/** Fewer letters and digits than this name nothing: a dash, "0" or "none" in place of a reference. */
const NAME_LENGTH = 6;

/**
 * Whether a reference of ours may stand behind what a bank shows: nothing at all, a part of it, or it with more around it. For
 * orders that nothing else tells apart; what has a form of it is found by that.
 */
export function mayHide(shown: string | undefined, sent: string): boolean {
  const [folded, whole] = [fold(shown ?? ''), fold(sent)];
  return folded.length < NAME_LENGTH || whole.includes(folded) || folded.includes(whole);
}

const fold = (reference: string): string => reference.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Every reference of ours is a UUID in lower case (`src/identity.ts`). */
const AS_SENT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** With its hyphens, or without them and whole: a number that a shorter beginning allows may be anybody's. */
const BEGINS_LIKE_ONE =
  /^[\s{]*(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{2}|[0-9a-f]{12}5[0-9a-f]{3}[89ab][0-9a-f]{15}[\s}]*$)/i;

/** Whether a reference of ours may have come back as this, and certainly not as it was sent. */
export const mayBeAltered = (shown: string): boolean => BEGINS_LIKE_ONE.test(shown) && !AS_SENT.test(shown);

/** What belongs to references, found by what a bank shows of them. */
export class ByReference<T> {
  readonly #exact: ReadonlyMap<string, T>;
  readonly #byStem: ReadonlyMap<string, readonly string[]>;

  constructor(entries: Iterable<readonly [reference: string, value: T]>) {
    this.#exact = new Map(entries);
    this.#byStem = Map.groupBy(this.#exact.keys(), stemOf);
  }

  /** That of the same reference, else that of the only one of which it is a form. */
  find(shown: string): T | undefined {
    const exact = this.#exact.get(shown);
    if (exact !== undefined) return exact;
    const [only, another] = (this.#byStem.get(stemOf(shown)) ?? []).filter(
      (sent) => referenceForm(shown, sent) !== 'other',
    );
    return only === undefined || another !== undefined ? undefined : this.#exact.get(only);
  }
}

const stemOf = (reference: string): string => fold(reference).slice(0, STEM_LENGTH);
