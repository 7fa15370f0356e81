import damerauLevenshtein from 'damerau-levenshtein';

/** With more differences, a suggestion would only be a guess. */
const EDITS_MAX = 3;
const ALIKE_MIN = 0.5;

/**
 * The known name that a mistyped one most likely means, `undefined` if none is close; swapped neighbours count as one edit. Case
 * and separators are ignored: `accountId` means `account_id`.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const typed = letters(name);
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of known) {
    const wanted = letters(candidate);
    // Checked first: the package builds a table of both lengths, and a column name can be as long as half a file.
    if (Math.abs(typed.length - wanted.length) > EDITS_MAX) continue;
    const { steps: edits, similarity } = damerauLevenshtein(typed, wanted);
    if (edits > EDITS_MAX || similarity <= ALIKE_MIN) continue;
    if (best === undefined || edits < best.edits) best = { candidate, edits };
  }
  return best?.candidate;
}

/** " Did you mean amount?" or '': the end of a message about an unknown name. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
