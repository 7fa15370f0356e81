/**
 * Why a list is not believed: it shows what nobody asked for, or what cannot be read. In words for people, to follow "the bank's
 * list shows"; without values from the list.
 */
export const LIST_DOUBTS = {
  user: 'orders of another user',
  currency: 'orders in another currency',
  account: 'orders of another account',
  type: 'orders of another type',
  time: 'orders made before the time asked for',
  page: 'another page than the one asked for',
  size: 'larger pages than asked for',
  age: 'an answer that was made before it was asked for',
  numbers: 'page numbers that cannot be read',
  record: 'records that cannot be read',
} as const;

export type ListDoubt = (typeof LIST_DOUBTS)[keyof typeof LIST_DOUBTS];

/** Why a list, though nothing that it shows is strange, proves nothing; for people. */
const UNPROVEN = {
  'clocks-apart': "the bank's clock is too far from ours for a list to prove anything; payouts doctor says how far",
  incomplete: 'the list of the bank lacks orders that it has accepted: ask the bank why',
  indistinct:
    'the bank shows an order for the same money, fees aside, without its reference, which may be this one: ask the bank whose it is',
  'too-soon': 'the list may not show yet what the bank has just refused',
  'not-stable': 'the list changed while it was read, or does not have as many orders as it says',
} as const;

/** Why a look at a list proves nothing. */
export type LookDoubt = ListDoubt | keyof typeof UNPROVEN;

const isUnproven = (doubt: LookDoubt): doubt is keyof typeof UNPROVEN => Object.hasOwn(UNPROVEN, doubt);

/** What is strange in what it shows; undefined: nothing. */
export const strangeIn = (doubt: LookDoubt | undefined): ListDoubt | undefined =>
  doubt === undefined || isUnproven(doubt) ? undefined : doubt;

export const doubtInWords = (doubt: LookDoubt): string =>
  isUnproven(doubt) ? UNPROVEN[doubt] : `the list of the bank shows ${doubt}`;
