/** Why a list of orders, as the bank has shown it, proves nothing. */
export type ListDoubt = 'clocks-apart' | 'incomplete' | 'not-stable';

/** For people. */
export const LIST_DOUBTS: Readonly<Record<ListDoubt, string>> = {
  'clocks-apart': "the bank's clock is too far from ours for a list to prove anything; payouts doctor says how far",
  incomplete: 'the list of the bank lacks orders that it has accepted: ask the bank why',
  'not-stable': 'the list changed while it was read, or does not have as many orders as it says',
};
