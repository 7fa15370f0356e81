/**
 * Who can act on a row. `outside`: somebody at the bank, at the acquirer or with access to the account, by no command of ours;
 * `nobody`: nobody has to.
 */
export type Actor = 'approver' | 'compliance' | 'operator' | 'maker' | 'outside' | 'nobody';

/**
 * What ends a wait without people: the patience for money, the expiry of our approval, the expiry of the bank's audit, the row's
 * date.
 */
export type Deadline = 'funds' | 'approval' | 'bank-audit' | 'date';

/** What people are told about a kind of wait, end or incident: what it is, what to do, and what happens if nobody acts. */
export interface Remedy {
  /** Sentence in the report and the UI. It holds no value of the row. */
  says: string;
  /** `compliance`: only their answers count (`questionOfHold`). */
  who: Actor;
  /**
   * Plain text; commands are in backticks, with `ID` for the payout, `BATCH` for its batch and other capitals for values to fill
   * in.
   */
  todo: string;
  /** What happens if nobody acts. */
  byItself: string;
  /** An approval lets nothing through; it only makes the payout read the bank again. */
  approvalOnlyLooks?: true;
  until?: Deadline;
  /** The reason concerns the account, not the row: other rows of the account would meet the same. */
  isOfAccount?: true;
  /** The payout may be signalled when the reason is gone; the signal is lost if its sender is killed first. */
  isSignalled?: true;
}

export const STAYS = 'Nothing: it waits until somebody decides.';
const KEEPS_LOOKING =
  'It keeps querying the bank, at growing intervals, and continues when an answer proves what happened.';
const OVER = 'Nothing: it has ended.';

export const waits = (says: string, todo: string, byItself: string, until?: Deadline): Remedy => ({
  says,
  who: 'nobody',
  todo,
  byItself,
  ...(until && { until }),
});

export const outside = (says: string, todo: string, byItself: string, until?: Deadline): Remedy => ({
  ...waits(says, todo, byItself, until),
  who: 'outside',
});

export const held = (says: string, todo: string, byItself: string): Remedy => ({
  says,
  who: 'approver',
  todo,
  byItself,
});

export const screened = (says: string, todo: string, byItself: string): Remedy => ({
  says,
  who: 'compliance',
  todo,
  byItself,
});

export const heldForRecheck = (says: string, todo: string, byItself: string): Remedy => ({
  ...held(says, todo, byItself),
  approvalOnlyLooks: true,
});

export const operator = (says: string, todo: string, byItself = KEEPS_LOOKING): Remedy => ({
  says,
  who: 'operator',
  todo,
  byItself,
});

export const over = (says: string, todo: string): Remedy => waits(says, todo, OVER);

export const again = (says: string, todo: string): Remedy => ({ ...over(says, todo), who: 'maker' });

export const ofAccount = (remedy: Remedy): Remedy => ({ ...remedy, isOfAccount: true });

export const signalled = (remedy: Remedy): Remedy => ({ ...remedy, isSignalled: true });

/** The commands in a text, in order. */
export const commandsIn = (text: string): string[] =>
  [...text.matchAll(/`(payouts [^`]+)`/g)].map(([, command = '']) => command);
