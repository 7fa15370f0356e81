import type { PayoutState } from './payout-state.ts';

/** States in which a payout awaits approval or has yet to ask for it. */
export const BEFORE_APPROVAL_STATES: readonly PayoutState[] = [
  'received',
  'preparing',
  'scheduled',
  'held',
  'awaiting-funds',
  'awaiting-approval',
];

/** States in which a started payout can still be stopped: no order at the bank, or one that still awaits the bank's audit. */
export const CANCELLABLE_STATES: readonly PayoutState[] = [
  ...BEFORE_APPROVAL_STATES,
  'resolving',
  'awaiting-bank-approval',
];
