/** The value in an input of `rogueCalls` where the claim goes that was taken from a payout. */
export const TAKEN_CLAIM = 'the claim that was taken';
