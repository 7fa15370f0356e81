import type { OrderStatus } from '../../bank/schemas/order-status.ts';
import type { OrderRow } from './order-row.ts';
import { ENDS, type Outcome } from './sentinels.ts';

/**
 * The sandbox's choice of order transitions; the interface lists the statuses and shows no transition (section 3).
 *
 *   ACCEPTED -> SUBMITTING -> SUBMITTED -> COMPLETED | FAILED | CLOSED
 *   ACCEPTED -> WAIT_FOR_AUDIT -> APPROVING -> APPROVED -> SUBMITTING ...
 *                              -> REJECTING -> REJECTED
 *                              -> CANCELLING -> CANCELLED   (at expired_at)
 *
 * With the profile `unknownStatus`: SUBMITTED -> IN_CLEARING -> COMPLETED.
 */

/** Statuses that end only by a person or `expired_at`, and final ones. */
type Untimed = 'WAIT_FOR_AUDIT' | 'REJECTED' | 'CANCELLED' | Exclude<(typeof ENDS)[Outcome], 'COMPLETED' | undefined>;

/** A status that the interface does not list. */
export const UNLISTED_STATUS = 'IN_CLEARING';

/**
 * How long an order stays in each status that it leaves by the clock, ms; COMPLETED is reached 1.5 s after acceptance. COMPLETED
 * itself: until the refund, if the order asked for one. Every status is either here or in `Untimed`.
 */
export const DEFAULT_SETTLE_TIMES = {
  ACCEPTED: 200,
  APPROVING: 200,
  APPROVED: 100,
  SUBMITTING: 300,
  SUBMITTED: 1_000,
  COMPLETED: 1_000,
  REJECTING: 200,
  CANCELLING: 200,
} as const satisfies Record<Exclude<OrderStatus, Untimed>, number>;

export type SettleTimes = Readonly<Record<keyof typeof DEFAULT_SETTLE_TIMES, number>>;

/** What the next step depends on; `updated_at` is when it entered its status. */
export type OrderState = Pick<OrderRow, 'status' | 'updated_at' | 'needs_audit' | 'outcome' | 'expired_at'>;

type StepTarget = OrderStatus | 'refund' | typeof UNLISTED_STATUS;

/** The next step by the clock, and when; `undefined` if only a person, or nothing, moves the order on. */
export interface Step {
  at: number;
  to: StepTarget;
}

const TARGETS: {
  readonly [status in keyof SettleTimes]: (order: OrderState, viaUnlisted: boolean) => StepTarget | undefined;
} = {
  ACCEPTED: ({ needs_audit }) => (needs_audit === 1n ? 'WAIT_FOR_AUDIT' : 'SUBMITTING'),
  APPROVING: () => 'APPROVED',
  APPROVED: () => 'SUBMITTING',
  SUBMITTING: () => 'SUBMITTED',
  SUBMITTED: ({ outcome }, viaUnlisted) =>
    viaUnlisted && ENDS[outcome] === 'COMPLETED' ? UNLISTED_STATUS : ENDS[outcome],
  COMPLETED: ({ outcome }) => (outcome === 'refund' ? 'refund' : undefined),
  REJECTING: () => 'REJECTED',
  CANCELLING: () => 'CANCELLED',
};

/** @param viaUnlisted whether it completes by way of `UNLISTED_STATUS` */
export function nextStep(order: OrderState, settle: SettleTimes, viaUnlisted = false): Step | undefined {
  const { status, expired_at } = order;
  const since = Number(order.updated_at);
  if (status === 'WAIT_FOR_AUDIT') {
    return expired_at === null ? undefined : { at: Math.max(Number(expired_at), since), to: 'CANCELLING' };
  }
  if (status === UNLISTED_STATUS) return { at: since + settle.SUBMITTED, to: 'COMPLETED' };
  if (!isTimed(status)) return undefined;
  const to = TARGETS[status](order, viaUnlisted);
  return to === undefined ? undefined : { at: since + settle[status], to };
}

function isTimed(status: string): status is keyof SettleTimes {
  return Object.hasOwn(TARGETS, status);
}
