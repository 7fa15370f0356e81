import { minuteOf } from '../domain/display.ts';
import type { CheckKind, CheckVerdict } from '../domain/payee.ts';
import type { KeptCheck } from '../store/store.ts';

/** A verdict on the payee of a payout, as shown to those who decide. */
export type CheckShown = Omit<KeptCheck, 'uid' | 'payee'>;

export const CHECK_NAMES: Readonly<Record<CheckKind, string>> = {
  verification: 'payee check',
  screening: 'screening',
};

const WORDS: Readonly<Record<CheckVerdict, string>> = {
  match: 'match',
  'close-match': 'close match',
  'no-match': 'no match',
  'not-available': 'not available',
  clear: 'clear',
  hit: 'found on a list',
};

/** One line with unmasked names: for people who decide, never for a log. */
export function checkText({ verdict, provider, askedAt, name, otherName, caseId, why }: CheckShown): string {
  const details = [
    otherName === null ? undefined : `the payee is "${name}", the account is held under "${otherName}"`,
    why ?? undefined,
  ].filter((detail) => detail !== undefined);
  const said = details.length === 0 ? WORDS[verdict] : `${WORDS[verdict]}: ${details.join('; ')}`;
  return `${said} (${[provider, caseId, minuteOf(askedAt)].filter((part) => part !== null).join(', ')})`;
}
