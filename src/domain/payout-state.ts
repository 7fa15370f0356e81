import { MESSAGES } from './names.ts';

const BEFORE_APPROVAL = ['received', 'preparing', 'scheduled', 'held', 'awaiting-funds', 'awaiting-approval'] as const;

/** Ends in which no money was taken. */
export const UNPAID_STATES = ['failed', 'rejected', 'cancelled'] as const;
export type UnpaidState = (typeof UNPAID_STATES)[number];

export const END_STATES = ['completed', ...UNPAID_STATES] as const;
export type EndState = (typeof END_STATES)[number];

/** States of a payout, in the order of its life. Ours are kebab-case, the bank's UPPER_SNAKE. */
export const PAYOUT_STATES = [
  ...BEFORE_APPROVAL,
  'converting',
  'submitting',
  'resolving',
  'awaiting-bank-approval',
  'processing',
  'needs-operator',
  ...END_STATES,
] as const;

export type PayoutState = (typeof PAYOUT_STATES)[number];

/** As people and programs are shown it: `shownStateOf` makes `returned` of `completed` when all of the money came back. */
export const SHOWN_STATES = [...PAYOUT_STATES, 'returned'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

/** States in which an open payout waits only for a decision of people, for any reason. */
export const AWAITING_DECISION_STATES = [
  'awaiting-approval',
  'awaiting-bank-approval',
  'held',
] as const satisfies readonly PayoutState[];

/** States in which a payout can be asked to check at once whether what it waits for is there, without any decision. */
export const RECHECK_STATES = ['held', 'awaiting-funds'] as const satisfies readonly PayoutState[];

export const canRecheck = (state: PayoutState): boolean => RECHECK_STATES.some((it) => it === state);

/** States in which people must act. */
export const NEEDS_PEOPLE_STATES: readonly PayoutState[] = [
  ...AWAITING_DECISION_STATES,
  'awaiting-funds',
  'needs-operator',
];

export function isEnd(state: ShownState): state is EndState | 'returned' {
  return state === 'returned' || (END_STATES as readonly string[]).includes(state);
}

export function isUnpaid(state: ShownState): state is UnpaidState {
  return (UNPAID_STATES as readonly string[]).includes(state);
}

/** Whether nothing more happens without people: a batch does not wait for such a row. */
export function isSettled(state: ShownState): boolean {
  return isEnd(state) || state === 'needs-operator';
}

/** States in which a payout awaits approval or has yet to ask for it. */
export const BEFORE_APPROVAL_STATES: readonly PayoutState[] = BEFORE_APPROVAL;

/** States in which a started payout can still be stopped: no order at the bank, or one that still awaits the bank's audit. */
export const CANCELLABLE_STATES: readonly PayoutState[] = [
  ...BEFORE_APPROVAL_STATES,
  'resolving',
  'awaiting-bank-approval',
];

/** States that lists show by name. */
const LISTED_STATES: readonly PayoutState[] = ['scheduled', ...NEEDS_PEOPLE_STATES, ...END_STATES];

/**
 * Value of the search attribute `PayoutState`: working states share one value, so that a payout without incident upserts only
 * once.
 */
export const visibleState = (state: PayoutState): PayoutState => (LISTED_STATES.includes(state) ? state : 'processing');

/** Value of the search attribute `PayoutNeedsAttention`: whether people must act. What `NEEDS_NOBODY` names ends without people. */
export const needsAttention = (state: ShownState, reason: Reason | null = null): boolean =>
  (NEEDS_PEOPLE_STATES as readonly ShownState[]).includes(state) && !NEEDS_NOBODY.has(`${state} ${reason?.code}`);

/** It waits for another payment of ours, about which people are asked, if they are; or for some minutes. */
const NEEDS_NOBODY: ReadonlySet<string> = new Set([
  'held card-payment-open',
  'held list-too-soon',
  'awaiting-funds awaiting-exchange',
]);

export interface Reason {
  /** kebab-case, from `domain/reasons.ts`. */
  code: string;
  /** One sentence without personal data. */
  message: string;
}

export interface StateCounts {
  total: number;
  completed: number;
  failed: number;
  rejected: number;
  cancelled: number;
  /** Completed, and all of the money came back. */
  returned: number;
  needsOperator: number;
  open: number;
}

/** Counts rows by state; every row is in exactly one count besides `total`. */
export function countRows(byState: ReadonlyMap<ShownState, number>): StateCounts {
  const counts: StateCounts = {
    total: 0,
    completed: 0,
    failed: 0,
    rejected: 0,
    cancelled: 0,
    returned: 0,
    needsOperator: 0,
    open: 0,
  };
  for (const [state, rows] of byState) {
    counts.total += rows;
    if (isEnd(state)) counts[state] += rows;
    else if (state === 'needs-operator') counts.needsOperator += rows;
    else counts.open += rows;
  }
  return counts;
}

/**
 * What people have requested of a batch. `paused`: none of its rows is sent. `draining`: no further row is released, and released
 * ones continue to their end. `cancelling` is final.
 */
export const BATCH_CONTROLS = ['running', 'paused', 'draining', 'cancelling'] as const;
export type BatchControl = (typeof BATCH_CONTROLS)[number];

/** From the control that allows most to the one that allows least. */
const LOOSEST_FIRST: readonly BatchControl[] = ['running', 'draining', 'paused', 'cancelling'];

/** The controls that allow at least as much as this one. */
export const controlsAtLeastAsPermissive = (control: BatchControl): readonly BatchControl[] =>
  LOOSEST_FIRST.slice(0, LOOSEST_FIRST.indexOf(control) + 1);

/**
 * Whether a batch accepts this update. An ended batch accepts only `resume`, if it was paused or draining: that control also
 * holds rows that an operator lets continue.
 */
export const acceptsControl = (
  { control, endedAt }: { control: BatchControl; endedAt: number | null },
  update: string,
): boolean => endedAt === null || (update === MESSAGES.resume && (control === 'paused' || control === 'draining'));

export const BATCH_STATES = [
  'open',
  'paused',
  'cancelling',
  'needs-operator',
  'completed',
  'completed-with-exceptions',
  'cancelled',
] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** Draining has no state of its own in documents; `control` distinguishes it. */
const STATE_OF: Readonly<Record<BatchControl, BatchState>> = {
  running: 'open',
  paused: 'paused',
  draining: 'paused',
  cancelling: 'cancelling',
};

/** Computed from the counts and the stored control, never stored itself. */
export function batchState(counts: StateCounts, control: BatchControl): BatchState {
  if (counts.open > 0) return STATE_OF[control];
  if (counts.needsOperator > 0) return 'needs-operator';
  if (control === 'cancelling' && counts.cancelled > 0) return 'cancelled';
  return counts.completed === counts.total ? 'completed' : 'completed-with-exceptions';
}

export interface StoredState {
  state: PayoutState;
  reason: Reason | null;
}

/**
 * What an operator may request for a payout in `needs-operator`. Each request is checked against what the bank shows at that
 * time.
 */
export const RESOLVE_ACTIONS = ['keep-looking', 'adopt-order', 'resend', 'close-as-not-paid'] as const;
export type ResolveAction = (typeof RESOLVE_ACTIONS)[number];

export interface ResolveRequest {
  action: ResolveAction;
  by: string;
  /** What the request is based on. */
  evidence: string;
  /** The order to adopt. */
  orderId?: string;
  /** If the policy requires signatures: id of the stored decision with the same content. */
  decisionId?: string;
}
