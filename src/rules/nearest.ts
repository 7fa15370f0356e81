/** Further than this from what was typed, a name is a guess and no help. */
const EDITS_MAX = 3;
const ALIKE_MIN = 0.5;

/**
 * The known name that a mistyped one most likely means, `undefined` when none is close. Case and the characters between
 * words do not count: `accountId` means `account_id`.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const typed = letters(name);
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of known) {
    const wanted = letters(candidate);
    const edits = editsBetween(typed, wanted);
    const alike = 1 - edits / Math.max(typed.length, wanted.length, 1);
    if (edits > EDITS_MAX || alike < ALIKE_MIN) continue;
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

/** Insertions, deletions, changes and swaps of neighbours that make one text the other (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > EDITS_MAX) return EDITS_MAX + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed);
      row.push(swapped ? Math.min(edits, (beforeLast[j - 2] ?? 0) + 1) : edits);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
