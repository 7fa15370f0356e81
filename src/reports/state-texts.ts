import type { ShownState } from '../domain/payout-state.ts';

/** The meaning of each state, and what happens in it without people. */
export const STATES: Readonly<Record<ShownState, { meaning: string; byItself: string }>> = {
  received: { meaning: 'taken, not yet processed', byItself: 'It is processed when its turn comes.' },
  preparing: {
    meaning: "reading the bank's data, adding the payee",
    byItself: 'It continues while a worker runs and the bank answers.',
  },
  scheduled: { meaning: 'waiting for its date (midnight UTC)', byItself: 'It is sent on its date.' },
  held: {
    meaning: 'something must be corrected or accepted',
    byItself: 'It checks again, and continues when the reason is gone.',
  },
  'awaiting-funds': {
    meaning: 'the account does not hold enough money',
    byItself: 'It continues when the money is there, and fails when the waiting time is over.',
  },
  'awaiting-approval': {
    meaning: 'the approval policy requires approval by somebody other than the maker',
    byItself: 'It ends unpaid if nobody approves it in time.',
  },
  converting: {
    meaning: 'buying the payout currency and following that order',
    byItself: 'It continues while a worker runs and the bank answers.',
  },
  submitting: { meaning: 'sending the order', byItself: 'It continues while a worker runs and the bank answers.' },
  resolving: {
    meaning: 'an answer was lost; searching for the order before anything else is sent',
    byItself: "It continues when the bank's data proves what happened.",
  },
  'awaiting-bank-approval': {
    meaning: "the order waits for the bank's audit; people decide here or at the bank",
    byItself: 'The bank ends the order when its audit expires.',
  },
  processing: { meaning: 'the bank has the order', byItself: 'The order is followed to its end.' },
  'needs-operator': {
    meaning: 'the outcome cannot be determined through the API',
    byItself: 'It keeps querying the bank, at growing intervals.',
  },
  completed: { meaning: 'the bank confirms the payment', byItself: 'Nothing: it has ended.' },
  returned: {
    meaning: 'completed, and all of the money came back',
    byItself: 'Nothing: it is not paid again.',
  },
  failed: { meaning: 'ended without payment', byItself: 'Nothing: it has ended.' },
  rejected: { meaning: 'rejected by people, or the approval expired', byItself: 'Nothing: it has ended.' },
  cancelled: { meaning: 'cancelled on request, or by the bank', byItself: 'Nothing: it has ended.' },
};

/** A state after "3 payouts". */
export const STATE_WORDS: Readonly<Record<ShownState, string>> = {
  received: 'not started yet',
  preparing: 'being prepared',
  scheduled: 'scheduled for a later date',
  held: 'held',
  'awaiting-funds': 'waiting for money',
  'awaiting-approval': 'waiting for approval',
  converting: 'being exchanged',
  submitting: 'being sent',
  resolving: 'being searched for at the bank',
  'awaiting-bank-approval': "waiting for the bank's audit",
  processing: 'at the bank',
  'needs-operator': 'waiting for an operator',
  completed: 'paid',
  returned: 'paid, and the money came back',
  failed: 'failed',
  rejected: 'rejected',
  cancelled: 'cancelled',
};
