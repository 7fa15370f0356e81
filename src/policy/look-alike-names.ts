import { rectifyConfusion } from 'unicode-confusables';
import { tidied } from '../domain/approval.ts';

/**
 * Whether a reader could confuse two names: they count as the same if they differ only in similar letters (Unicode confusables,
 * UTS #39), case, width, composition of accents, zero-width characters or the number of blanks.
 */
export function areLookAlikes(a: string, b: string): boolean {
  const seen = skeletons(b);
  return skeletons(a).some((skeleton) => seen.includes(skeleton));
}

/** Of the name as written, and in lower case: "I" looks like "l", but "ALICE" must also match "alice". */
export function skeletons(name: string): [asShown: string, inSmall: string] {
  const shown = tidied(name);
  const seen = (text: string): string => rectifyConfusion(text).normalize('NFD');
  return [seen(rectifyConfusion(shown).toLowerCase()), seen(rectifyConfusion(shown.toLowerCase()))];
}
