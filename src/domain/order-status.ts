/** The thirteen order statuses of the interface (section 3). Its transitions are not shown: nothing here assumes one. */
export const ORDER_STATUSES = [
  'ACCEPTED',
  'WAIT_FOR_AUDIT',
  'SUBMITTING',
  'SUBMITTED',
  'COMPLETED',
  'APPROVED',
  'APPROVING',
  'REJECTED',
  'REJECTING',
  'CANCELLED',
  'CANCELLING',
  'FAILED',
  'CLOSED',
] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

/**
 * What a status means for the money. `unclear` (CLOSED, and any status the interface does not list) is treated as open
 * and handed to people: the interface does not say whether money moved.
 */
export type StatusMeaning = 'open' | 'awaiting-audit' | 'paid' | 'rejected' | 'cancelled' | 'failed' | 'unclear';

const MEANINGS = {
  ACCEPTED: 'open',
  WAIT_FOR_AUDIT: 'awaiting-audit',
  SUBMITTING: 'open',
  SUBMITTED: 'open',
  COMPLETED: 'paid',
  APPROVED: 'open',
  APPROVING: 'open',
  REJECTED: 'rejected',
  REJECTING: 'open',
  CANCELLED: 'cancelled',
  CANCELLING: 'open',
  FAILED: 'failed',
  CLOSED: 'unclear',
} as const satisfies Record<OrderStatus, StatusMeaning>;

/**
 * The meaning of a wire status. `closedMeans` is the one configuration key (`PAYOUTS_CLOSED_MEANS`) for CLOSED, whose
 * meaning the interface does not show.
 */
export function statusMeaning(status: string, closedMeans: ClosedMeaning = 'unclear'): StatusMeaning {
  if (status === 'CLOSED') return closedMeans;
  return (MEANINGS as Readonly<Record<string, StatusMeaning>>)[status] ?? 'unclear';
}

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
