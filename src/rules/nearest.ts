import damerauLevenshtein from 'damerau-levenshtein';

/** Further than this from what was typed, a name is a guess and no help. */
const EDITS_MAX = 3;
const ALIKE_MIN = 0.5;

/**
 * The known name that a mistyped one most likely means, `undefined` when none is close; a swap of neighbours is one edit.
 * Case and the characters between words do not count: `accountId` means `account_id`.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const typed = letters(name);
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of known) {
    const wanted = letters(candidate);
    // Before they are compared: the package makes a table of both, and a column may be named by half a file.
    if (Math.abs(typed.length - wanted.length) > EDITS_MAX) continue;
    const { steps: edits, similarity } = damerauLevenshtein(typed, wanted);
    if (edits > EDITS_MAX || similarity < ALIKE_MIN) continue;
    if (best === undefined || edits < best.edits) best = { candidate, edits };
  }
  return best?.candidate;
}

/** " Did you mean amount?", or nothing: the end of a message about a name that is not known. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
