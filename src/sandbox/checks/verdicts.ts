/** Verdicts on a payee, by the last word of its name; every other payee matches and is on no list. */
export interface MadeUp {
  says: string;
  verification?: { verdict: 'close-match' | 'no-match' | 'not-available'; name?: (asked: string) => string };
  screening?: { verdict: 'hit' | 'not-available'; case_id?: string };
  /** Answers only with this HTTP status. */
  status?: number;
}

export const LAST_WORDS: Readonly<Record<string, MadeUp>> = {
  Close: {
    says: 'a close match: the account is held under the same name with an "r" at its end',
    verification: { verdict: 'close-match', name: (asked) => `${asked}r` },
  },
  Nomatch: { says: 'no match', verification: { verdict: 'no-match' } },
  Unverified: {
    says: "the payee's bank does not take part in the verification",
    verification: { verdict: 'not-available' },
  },
  Sanctioned: { says: 'on a list', screening: { verdict: 'hit', case_id: 'case-sandbox-1' } },
  Unscreened: { says: 'the lists are not available', screening: { verdict: 'not-available' } },
  Silent: { says: 'both checks answer HTTP 503', status: 503 },
};

export function madeUp(name: string): MadeUp | undefined {
  const word = name.trim().split(/\s+/).at(-1) ?? '';
  return Object.hasOwn(LAST_WORDS, word) ? LAST_WORDS[word] : undefined;
}
