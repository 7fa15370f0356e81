import { readFileSync } from 'node:fs';
import type { Bank } from '../bank/bank.ts';
import { byEarlierClock } from '../bank/bank-time.ts';
import { payeeDigest } from '../bank/payee-lists.ts';
import type { Beneficiary } from '../bank/schemas/beneficiaries.ts';
import { tidied } from '../domain/authority.ts';
import { beneficiaryFields } from '../domain/instruction.ts';
import { type Flag, payeeCountry, payeeFlags, payeeName } from '../domain/payee.ts';
import type { PayeeAsked, PayeeHistory, PayoutRecord, Store } from '../store/store.ts';

/** The store's query about the payee of a row. `payee`: as the bank shows it; undefined: not shown yet. */
export function askedAbout({ instruction }: PayoutRecord, payee: Beneficiary | undefined): PayeeAsked {
  const { uid, currency } = instruction;
  const items = payee?.items ?? beneficiaryFields(instruction);
  const name = payeeName(items);
  if (name === undefined) return { uid, payeeId: payee?.id, currency, country: payeeCountry(items) };
  const [asShown, inSmall] = skeletons(name);
  return { uid, payeeId: payee?.id, currency, name: { name, asShown, inSmall }, country: payeeCountry(items) };
}

/** No payee gets older by a clock of ours that is ahead. */
const timeOf = ({ bank, now }: { bank: Bank; now: () => number }): number => byEarlierClock(bank, now());

/** What people should check about the payee of a row. */
export function flagsOf(
  clocks: Parameters<typeof timeOf>[0],
  history: PayeeHistory,
  { instruction: { amount, uid } }: PayoutRecord,
  payee: Beneficiary | undefined,
): Flag[] {
  const now = timeOf(clocks);
  const digest = payee && payeeDigest(payee);
  const isOther = digest !== undefined && history.digest !== undefined && history.digest !== digest;
  const changedAt = isOther ? now : history.changedAt;
  const isOfAnotherUser = payee !== undefined && payee.uid !== uid;
  return payeeFlags({ ...history, createdAt: payee?.created_at, digest, changedAt, isOfAnotherUser, amount }, now);
}

/** The same, and what the bank shows is kept for the next payout to it. */
export async function notedFlags(
  { store, ...clocks }: { store: Store; bank: Bank; now: () => number },
  row: PayoutRecord,
  payee: Beneficiary | undefined,
): Promise<Flag[]> {
  const asked = askedAbout(row, payee);
  const history = await store.payeeHistory(asked);
  const digest = payee && payeeDigest(payee);
  if (payee !== undefined && digest !== undefined && history.digest !== digest) {
    const { uid, name, country = null } = asked;
    const { id: payeeId, items } = payee;
    await store.notePayee({ uid, payeeId, digest, name, country, items, seenAt: timeOf(clocks) });
  }
  return flagsOf(clocks, history, row, payee);
}

/**
 * Whether a reader could confuse two names: they count as the same if they differ only in similar letters and digits (Unicode
 * confusables, UTS #39, small capitals, letters with hooks), accents, case, width, zero-width characters or the number of
 * blanks.
 */
export function areLookAlikes(a: string, b: string): boolean {
  const seen = skeletons(b);
  return skeletons(a).some((skeleton) => seen.includes(skeleton));
}

/** Alphabets whose letters are not written in one word; Chinese, Japanese and Korean characters are used beside Latin ones. */
const ALPHABETS: readonly RegExp[] = [
  /\p{sc=Latin}/u,
  /\p{sc=Cyrillic}/u,
  /\p{sc=Greek}/u,
  /[\p{L}--[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Common}\p{sc=Inherited}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}]]/v,
];

/** Whether a name mixes alphabets (UTS #39, section 5.1), as one does that imitates another. */
export const mixesAlphabets = (name: string): boolean =>
  ALPHABETS.filter((letters) => letters.test(tidied(name))).length > 1;

/** Of the name as written, and in lower case: "Η" looks like "H" and "η" like "n", but "ALICE" must also match "alice". */
export function skeletons(name: string): [asShown: string, inSmall: string] {
  return [seen(seen(name).toLowerCase()), seen(tidied(name).toLowerCase())];
}

const seen = (text: string): string => {
  table ??= readTable();
  return skeletonBy(table, text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ''))
    .replaceAll(/\s+/gu, ' ')
    .trim();
};

/** The skeleton of UTS #39, section 4, without accents; letters that the table does not name are taken for their plain form. */
export function skeletonBy(table: ReadonlyMap<string, string>, text: string): string {
  const letters = [...text.normalize('NFD')].map((letter) => table.get(letter) ?? letter.normalize('NFKC'));
  const next = bare(letters.join(''));
  return next === text ? text : skeletonBy(table, next);
}

/** Decomposed, and without accents, hooks and strokes. */
export const bare = (text: string): string => text.normalize('NFD').replaceAll(/[\u0300-\u036f]/g, '');

let table: ReadonlyMap<string, string> | undefined;

/** What each letter looks like, as `scripts/unicode` has made it. */
const readTable = (): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(new URL('look-alike-letters.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line.includes(';'))
      .flatMap((line) => {
        const [prototype = '', letters = ''] = line.split(';');
        return letters.split(' ').map((letter) => [lettersOf(letter), lettersOf(prototype)] as const);
      }),
  );

const lettersOf = (codes: string): string =>
  String.fromCodePoint(...(codes.match(/\w+/g) ?? []).map((code) => Number.parseInt(code, 16)));
