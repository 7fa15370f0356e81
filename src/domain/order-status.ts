/**
 * Where an order stands at the bank. Which of the bank's words say so is for `src/api` to know (`orderStage`); the word
 * itself goes along for people.
 */
export type OrderStage =
  /** Under way, and may still come to its audit. */
  | 'open'
  | 'awaiting-audit'
  /** Under way after its audit, or without one: no rejection can stop it any more. */
  | 'past-audit'
  | 'paid'
  | 'rejected'
  | 'cancelled'
  | 'failed'
  /** Over, and the bank does not say whether money moved. */
  | 'closed'
  /** The bank shows a word that its interface does not list. */
  | 'unknown';

/** What a stage means for the money. `unclear` is treated as open and handed to people. */
export type StatusMeaning = 'open' | 'awaiting-audit' | 'paid' | 'rejected' | 'cancelled' | 'failed' | 'unclear';

const MEANINGS: Readonly<Record<OrderStage, StatusMeaning>> = {
  open: 'open',
  'awaiting-audit': 'awaiting-audit',
  'past-audit': 'open',
  paid: 'paid',
  rejected: 'rejected',
  cancelled: 'cancelled',
  failed: 'failed',
  closed: 'unclear',
  unknown: 'unclear',
};

/** The meaning of a stage. `closedMeans` is the one configuration key (`PAYOUTS_CLOSED_MEANS`) for `closed`. */
export const stageMeaning = (stage: OrderStage, closedMeans: ClosedMeaning = 'unclear'): StatusMeaning =>
  stage === 'closed' ? closedMeans : MEANINGS[stage];

export type ClosedMeaning = 'unclear' | 'paid' | 'failed';

export type TerminalMeaning = 'paid' | 'rejected' | 'cancelled' | 'failed';

export function isTerminal(meaning: StatusMeaning): meaning is TerminalMeaning {
  return meaning === 'paid' || isNoMoney(meaning);
}

/** The order ended and took no money. Believed only after two reads. */
export function isNoMoney(meaning: StatusMeaning): meaning is 'rejected' | 'cancelled' | 'failed' {
  return meaning === 'rejected' || meaning === 'cancelled' || meaning === 'failed';
}

/** Whether a status asks something of the payout, so that the watch wakes it. */
export function asksForAttention(meaning: StatusMeaning): boolean {
  return meaning !== 'open';
}
