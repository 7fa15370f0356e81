import type { PayoutState } from '../domain/payout-state.ts';

/** What each state means, and what happens in it by itself. */
export const STATES: Readonly<Record<PayoutState, { meaning: string; byItself: string }>> = {
  received: { meaning: 'claimed, not yet looked at', byItself: 'It is taken up when it is its turn.' },
  preparing: { meaning: 'reads the bank, adds the payee', byItself: 'It goes on.' },
  scheduled: { meaning: 'waits for its date (midnight UTC)', byItself: 'It is sent on its date.' },
  held: {
    meaning: 'something must be put right or accepted',
    byItself: 'It looks again, and goes on when the reason is gone.',
  },
  'awaiting-funds': {
    meaning: 'the account is short of money',
    byItself: 'It goes on when the money is there, and fails when the patience is over.',
  },
  'awaiting-approval': {
    meaning: 'our approval policy asks for people other than the maker',
    byItself: 'It ends unpaid when no approval has come in time.',
  },
  converting: { meaning: 'buys the payout currency and follows that order', byItself: 'It goes on.' },
  submitting: { meaning: 'sends the order', byItself: 'It goes on.' },
  resolving: {
    meaning: 'an answer was lost; looks for the order before anything else is sent',
    byItself: 'It goes on when a look proves what happened.',
  },
  'awaiting-bank-approval': {
    meaning: "the bank's order waits for its audit; people decide through us or at the bank",
    byItself: 'The bank ends its order when its time is over.',
  },
  processing: { meaning: 'the bank has the order', byItself: 'It is followed to its end.' },
  'needs-operator': {
    meaning: 'cannot be decided through the API',
    byItself: 'It keeps looking at the bank, ever more rarely.',
  },
  completed: { meaning: 'the bank says paid', byItself: 'Nothing: it has ended.' },
  failed: { meaning: 'ended, no payment', byItself: 'Nothing: it has ended.' },
  rejected: { meaning: 'people said no, or the approval expired', byItself: 'Nothing: it has ended.' },
  cancelled: { meaning: 'cancelled on request, or by the bank', byItself: 'Nothing: it has ended.' },
};
