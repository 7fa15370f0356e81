import { referenceForm } from './reference-form.ts';

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
 * beginning counts from the length at which `referenceForm` tells references apart.
 */
export function spellingsOf(sent: string, shown: string): ReferenceSpelling[] {
  const isCut = referenceForm(shown, sent) === 'cut';
  const tried = isCut ? WHOLE.map((whole) => ({ ...whole, length: shown.length })) : WHOLE;
  return tried.filter((spelling) => spelled(sent, spelling) === shown);
}

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

/** In words for people: "in capitals, without hyphens, cut to 20 characters"; undefined if it is none, or as sent. */
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
