/**
 * Who can act on a row. `outside`: somebody at the bank, at the acquirer or with access to the account, by no command of ours;
 * `nobody`: nobody has to.
 */
export type Actor = 'approver' | 'compliance' | 'operator' | 'maker' | 'outside' | 'nobody';

/**
 * What ends a wait without people: the patience for money, the expiry of our approval, the expiry of the bank's audit, the row's
 * date, the earliest proof that an order is absent.
 */
export type Deadline = 'funds' | 'approval' | 'bank-audit' | 'date' | 'absence';

/** The text for people about a kind of wait, end or incident: what it is, what to do, and what happens if nobody acts. */
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
  approvalOnlyChecks?: true;
  until?: Deadline;
  /** The reason concerns the account, not the row: other rows of the account would meet the same. */
  isOfAccount?: true;
  /** The payout may be signalled when the reason is gone; the signal is lost if its sender is killed first. */
  isSignalled?: true;
}

export const STAYS = 'Nothing: it waits until somebody decides.';
const KEEPS_SEARCHING =
  'It keeps querying the bank, at growing intervals, and continues when an answer proves what happened.';
const OVER = 'Nothing: it has ended.';
const CHECKS_AGAIN = 'It checks again at least once an hour, and continues when the reason is gone.';

const remedyFor =
  (who: Actor) =>
  (says: string, todo: string, byItself: string, until?: Deadline): Remedy => ({
    says,
    who,
    todo,
    byItself,
    ...(until && { until }),
  });

export const forNobody = remedyFor('nobody');
export const forOutside = remedyFor('outside');
export const forCompliance = remedyFor('compliance');

export const forApprover = (says: string, todo: string, byItself = STAYS, until?: Deadline): Remedy =>
  remedyFor('approver')(says, todo, byItself, until);

export const forApproverToRecheck = (says: string, todo: string, byItself = CHECKS_AGAIN): Remedy => ({
  ...forApprover(says, todo, byItself),
  approvalOnlyChecks: true,
});

export const forOperator = (says: string, todo: string, byItself = KEEPS_SEARCHING): Remedy =>
  remedyFor('operator')(says, todo, byItself);

/** The command by which an operator decides about a payout or a card payment. */
export const toResolve = (what: 'resolve' | 'card resolve', action: string): string =>
  `\`payouts ${what} ID --action ${action}\``;

/** It has ended, and its maker may submit it again. */
export const forMaker = (says: string, todo: string): Remedy => remedyFor('maker')(says, todo, OVER);

export const ended = (says: string, todo: string): Remedy => forNobody(says, todo, OVER);

export const ofAccount = (remedy: Remedy): Remedy => ({ ...remedy, isOfAccount: true });

export const signalled = (remedy: Remedy): Remedy => ({ ...remedy, isSignalled: true });

/** The commands in a text, in order. */
export const commandsIn = (text: string): string[] =>
  [...text.matchAll(/`(payouts [^`]+)`/g)].map(([, command = '']) => command);
