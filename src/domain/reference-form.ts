/**
 * How a reference shown by a bank compares with the one sent. `respelled`: in other case, with blanks around it, without hyphens,
 * or in braces; `cut`: its beginning, in any spelling; `other`: another reference. The interface says that `client_order_id` is
 * the reference supplied (section 2), not that every byte of it is returned.
 */
export type ReferenceForm = 'as-sent' | 'respelled' | 'cut' | 'other';

/**
 * The first 14 hex digits of a UUID (16 characters) hold 52 distinguishing bits; anything shorter counts as another reference.
 */
const STEM_LENGTH = 14;

export function referenceForm(shown: string, sent: string): ReferenceForm {
  if (shown === sent) return 'as-sent';
  const [folded, whole] = [fold(shown), fold(sent)];
  if (folded === whole) return 'respelled';
  return folded.length >= STEM_LENGTH && whole.startsWith(folded) ? 'cut' : 'other';
}

/** Fewer letters and digits than this identify nothing: a dash, "0" or "none" in place of a reference. */
const NAME_LENGTH = 6;

/**
 * Whether what a bank shows may be a form of our reference: nothing at all, a part of it, or more than it. Only for orders that
 * nothing else distinguishes; recognisable forms are found by `referenceForm`.
 */
export function mayHide(shown: string | undefined, sent: string): boolean {
  const [folded, whole] = [fold(shown ?? ''), fold(sent)];
  return folded.length < NAME_LENGTH || whole.includes(folded) || folded.includes(whole);
}

const fold = (reference: string): string => reference.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Our references are UUIDs in lower case (`src/domain/identity.ts`). */
const AS_SENT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** A beginning with hyphens, or a complete UUID without them: a shorter run of digits could be anybody's number. */
const BEGINS_LIKE_ONE =
  /^[\s{]*(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{2}|[0-9a-f]{12}5[0-9a-f]{3}[89ab][0-9a-f]{15}[\s}]*$)/i;

/** Whether this may be a reference of ours as it was sent: a UUID made of a name. */
export const mayBeOurs = (shown: string): boolean => AS_SENT.test(shown) && shown[14] === '5';

/** Whether this may be a reference of ours that was altered on its way back. */
export const mayBeAltered = (shown: string): boolean => BEGINS_LIKE_ONE.test(shown) && !AS_SENT.test(shown);

/** Values by reference, found by the form of it that a bank shows. */
export class ByReference<T> {
  readonly #exact: ReadonlyMap<string, T>;
  readonly #byStem: ReadonlyMap<string, readonly string[]>;

  constructor(entries: Iterable<readonly [reference: string, value: T]>) {
    this.#exact = new Map(entries);
    this.#byStem = Map.groupBy(this.#exact.keys(), stemOf);
  }

  /** The value of the identical reference, else of the only one that it is a form of. */
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

/** The first characters of a UUID of version 5, which is made of a name. */
const OWN_STEM = /^[0-9a-f]{12}5[0-9a-f]$/;

/**
 * What every form of a reference of ours begins with, by what a bank shows: empty if that is too short to be distinguished from others, null
 * if it is a reference of somebody else.
 */
export function ownStem(shown: string | undefined): string | null {
  const stem = stemOf(shown ?? '');
  if (stem.length < STEM_LENGTH) return '';
  return OWN_STEM.test(stem) ? stem : null;
}

/**
 * How a bank writes references of ours, if it writes each of them in the same changed form. The interface says that
 * `client_order_id` is the reference supplied (section 2), and shows no rule for its characters.
 */
export interface ReferenceSpelling {
  letters: 'small' | 'capital';
  hyphens: 'kept' | 'removed';
  /** Number of characters shown; absent: all. */
  length?: number;
}

const WHOLE: readonly ReferenceSpelling[] = (['small', 'capital'] as const).flatMap((letters) =>
  (['kept', 'removed'] as const).map((hyphens) => ({ letters, hyphens })),
);

export function spelled(reference: string, { letters, hyphens, length }: ReferenceSpelling): string {
  const text = hyphens === 'kept' ? reference : reference.replaceAll('-', '');
  return (letters === 'small' ? text : text.toUpperCase()).slice(0, length);
}

/**
 * Every spelling in which `sent` is `shown`; several if there is no letter in what is shown, none if no spelling explains it. A
 * beginning counts from the length at which `referenceForm` distinguishes references.
 */
export function spellingsOf(sent: string, shown: string): ReferenceSpelling[] {
  const isCut = referenceForm(shown, sent) === 'cut';
  const tried = isCut ? WHOLE.map((whole) => ({ ...whole, length: shown.length })) : WHOLE;
  return tried.filter((spelling) => spelled(sent, spelling) === shown);
}

/** Whether this may be a reference of ours in one of the changed forms in which the bank is known to write them. */
export const mayBeSpelled = (shown: string, spellings: readonly ReferenceSpelling[]): boolean =>
  !AS_SENT.test(shown) &&
  OWN_STEM.test(stemOf(shown)) &&
  spellings.some(({ hyphens, length = hyphens === 'kept' ? 36 : 32 }) => shown.length === length);

/** The spellings that explain everything seen; `undefined`: nothing was seen before. */
export const narrowed = (
  before: readonly ReferenceSpelling[] | undefined,
  shown: readonly ReferenceSpelling[],
): readonly ReferenceSpelling[] => before?.filter((one) => shown.some((other) => isSame(one, other))) ?? shown;

const isSame = (one: ReferenceSpelling, other: ReferenceSpelling): boolean =>
  one.letters === other.letters && one.hyphens === other.hyphens && one.length === other.length;

/** What the bank shows in place of the reference, if it is certain and another text. */
export function shownInstead(reference: string, spellings: readonly ReferenceSpelling[] = []): string | undefined {
  const [text, other] = new Set(spellings.map((spelling) => spelled(reference, spelling)));
  return other === undefined && text !== reference ? text : undefined;
}

/** In words for people: "in capitals, without hyphens, cut to 20 characters"; undefined if it is no form of it, or exactly as sent. */
export function spellingText(spellings: readonly ReferenceSpelling[] = []): string | undefined {
  const [only, other] = spellings;
  if (only === undefined || other !== undefined) return undefined;
  const words = [
    only.letters === 'capital' ? 'in capitals' : [],
    only.hyphens === 'removed' ? 'without hyphens' : [],
    only.length === undefined ? [] : `cut to ${only.length} characters`,
  ].flat();
  return words.length === 0 ? undefined : words.join(', ');
}
