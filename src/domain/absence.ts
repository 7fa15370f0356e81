import type { Waits } from './policy.ts';

/** When an order counts as proven absent, and when to search for it. Pure: workflows and simulations run the same code. */

/** One search through the order list. */
export interface Search {
  /** Workflow time at which the search began, epoch ms. */
  startedAt: number;
  /** All pages were read and are consistent with each other, and show no order that may be this one. */
  isEmpty: boolean;
}

/**
 * Proof of absence: two empty searches, both begun after the last attempt's late-commit and list-lag windows. `since` is
 * when the last attempt ended, epoch ms.
 */
export function provenAbsent(scans: readonly Search[], since: number, waits: Waits): boolean {
  const from = proofFrom(since, waits);
  return scans.filter((scan) => scan.isEmpty && scan.startedAt >= from).length >= 2;
}

/** Time (epoch ms) from which a search can prove that an attempt that ended at `since` made no order. */
export const proofFrom = (since: number, { lateCommitMs, listLagMs }: Waits): number =>
  since + lateCommitMs + listLagMs;

/** When searches begin, as fractions of the proof window after the last attempt: quick at first, then spread out. */
const SEARCH_SCHEDULE_FRACTIONS = [0, 0.003, 0.007, 0.02, 0.04, 0.08, 0.16, 0.4, 0.7, 1, 1.02];

/** When the n-th search (from 0) begins, in ms after the last attempt ended; undefined when the schedule is over. */
export function searchDelayMs(n: number, waits: Waits): number | undefined {
  const fraction = SEARCH_SCHEDULE_FRACTIONS[n];
  return fraction === undefined ? undefined : Math.ceil(fraction * (waits.lateCommitMs + waits.listLagMs));
}

/** When the second search begins that can prove that an attempt that ended at `since` made no order; epoch ms. */
export const secondProofAt = (since: number, waits: Waits): number =>
  since + (searchDelayMs(SEARCH_SCHEDULE_FRACTIONS.length - 1, waits) ?? 0);

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
  'id-of-another': 'the bank has answered with the id of another order: ask the bank whether it has made this one',
  'too-soon': 'the list may not show yet what the bank has just refused',
  'not-stable': 'the list changed while it was read, or does not have as many orders as it says',
} as const;

/** Why a read of a list proves nothing. */
export type ReadDoubt = ListDoubt | keyof typeof UNPROVEN;

const isUnproven = (doubt: ReadDoubt): doubt is keyof typeof UNPROVEN => Object.hasOwn(UNPROVEN, doubt);

/** What is strange in what it shows; undefined: nothing. */
export const strangeIn = (doubt: ReadDoubt | undefined): ListDoubt | undefined =>
  doubt === undefined || isUnproven(doubt) ? undefined : doubt;

export const doubtInWords = (doubt: ReadDoubt): string =>
  isUnproven(doubt) ? UNPROVEN[doubt] : `the list of the bank shows ${doubt}`;
