/**
 * Stage of an order at the bank. Only `src/bank` knows which of the bank's statuses mean which stage (`orderStage`); the status
 * itself is passed along for people.
 */
export type OrderStage =
  /** In progress; an audit may still follow. */
  | 'open'
  | 'awaiting-audit'
  /** In progress after its audit, or without one: no rejection can stop it now. */
  | 'past-audit'
  | 'paid'
  | 'rejected'
  | 'cancelled'
  | 'failed'
  /** Ended, but the bank does not say whether money moved. */
  | 'closed'
  /** The bank shows a status that its interface does not list. */
  | 'unknown';

/** What a stage means for the money. `unclear` counts as open and goes to people. */
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

/** The meaning of a stage. `closedMeans` is the setting `PAYOUTS_CLOSED_MEANS`, for the stage `closed`. */
export const stageMeaning = (stage: OrderStage, closedMeans: ClosedMeaning = 'unclear'): StatusMeaning =>
  stage === 'closed' ? closedMeans : MEANINGS[stage];

export type ClosedMeaning = 'unclear' | 'paid' | 'failed';

/** An end without money. */
export type NoMoney = 'rejected' | 'cancelled' | 'failed';

type TerminalMeaning = 'paid' | NoMoney;

export function isTerminal(meaning: StatusMeaning): meaning is TerminalMeaning {
  return meaning === 'paid' || isNoMoney(meaning);
}

/** Whether the order ended without taking money. Believed only after two reads. */
export function isNoMoney(meaning: StatusMeaning): meaning is NoMoney {
  return meaning === 'rejected' || meaning === 'cancelled' || meaning === 'failed';
}

/** Whether a status needs a reaction from the payout, so that the watch wakes it. */
export function asksForAttention(meaning: StatusMeaning): boolean {
  return meaning !== 'open';
}

/** Payload of the signal `orderChanged`. It only says which order to read; the GET decides. */
export interface OrderNotice {
  reference: string;
  orderId: string;
  /** The status as the bank words it. */
  status: string;
  /** Absent if a person sent the signal. */
  stage?: OrderStage;
}
