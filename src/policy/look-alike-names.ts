import { rectifyConfusion } from 'unicode-confusables';

/**
 * Whether a reader can take two names for one: letters that look alike (Unicode confusables, UTS #39), case, width, accents composed
 * or not, letters without a width and the number of blanks make no other name.
 */
export function areLookAlikes(a: string, b: string): boolean {
  const seen = skeletons(b);
  return skeletons(a).some((skeleton) => seen.includes(skeleton));
}

/** As it is written, and in small letters: "I" looks like "l", and "ALICE" is "alice" all the same. */
export function skeletons(name: string): [asShown: string, inSmall: string] {
  const shown = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
  const seen = (text: string): string => rectifyConfusion(text).normalize('NFD');
  return [seen(rectifyConfusion(shown).toLowerCase()), seen(rectifyConfusion(shown.toLowerCase()))];
}
