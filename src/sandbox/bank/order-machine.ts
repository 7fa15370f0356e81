import type { OrderStatus } from '../../bank/schemas/order-status.ts';
import type { Order } from '../../bank/schemas/orders.ts';
import { formatMinor } from '../../domain/money.ts';
import { badRequest, Refusal, type RefusalCode } from '../requests.ts';
import type { Profile } from './profile.ts';

/** Where an order's money is: held on the paying account, moved for good, or returned (never taken). */
export type MoneyState = 'held' | 'settled' | 'released';

export type OrderType = 'PAYMENT' | 'TRANSFER' | 'FX' | 'REFUND';

/**
 * An order as stored. Amounts are in minor units; `account_id`, `currency` and `amount` are those of the paying side, which
 * belongs to `uid`.
 */
export interface OrderRow {
  order_id: string;
  uid: string;
  reference: string;
  type: OrderType;
  direct: 'IN' | 'OUT';
  status: string;
  payment_type: string;
  account_id: string;
  currency: string;
  amount: bigint;
  /** In `currency`. */
  fee: bigint;
  beneficiary_id: string | null;
  /** Destination of a transfer; buying account of an exchange. */
  counter_account: string | null;
  buy_currency: string | null;
  buy_amount: bigint | null;
  /** 10 decimals (interface section 2). */
  rate: string | null;
  note: string | null;
  reason: string | null;
  /** The remark of the reviewer who rejected it. */
  remark: string | null;
  expired_at: bigint | null;
  needs_audit: bigint;
  outcome: Outcome;
  money: MoneyState;
  /** Order id of the payment that this refund belongs to. */
  refund_of: string | null;
  created_at: bigint;
  updated_at: bigint;
  /** Time of the next step by the clock; null if there is none. */
  due_at: bigint | null;
}

/** An order record as sent: fields that its type does not have are omitted. */
export type OrderRecord = Partial<Order> & Pick<Order, 'order_id' | 'status'>;

const CUT_TO = 20;
const REFERENCES = {
  'as-sent': (reference) => reference,
  'upper-case': (reference) => reference.toUpperCase(),
  cut: (reference) => reference.slice(0, CUT_TO),
} as const satisfies Record<Profile['references'], (reference: string) => string>;

/** Order record of the interface (section 2); the test-only routes show references as sent. */
export function toOrder(row: OrderRow, references: Profile['references'] = 'as-sent'): OrderRecord {
  const record: OrderRecord = {
    order_id: row.order_id,
    client_order_id: REFERENCES[references](row.reference),
    transaction_uid: row.uid,
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
    type: row.type,
    direct: row.direct,
    status: row.status,
    payment_type: row.payment_type,
    transaction_account: row.account_id,
    transaction_currency: row.currency,
    transaction_amount: formatMinor(row.amount, row.currency),
    fee: formatMinor(row.fee, row.currency),
    fee_currency: row.currency,
  };
  return row.type === 'FX' ? { ...record, ...exchangeSides(row) } : record;
}

function exchangeSides(row: OrderRow): Partial<Order> {
  const buyCurrency = row.buy_currency ?? '';
  return {
    sell_account: row.account_id,
    sell_currency: row.currency,
    sell_amount: formatMinor(row.amount, row.currency),
    buy_account: row.counter_account ?? '',
    buy_currency: buyCurrency,
    buy_amount: formatMinor(row.buy_amount ?? 0n, buyCurrency),
    rate: row.rate ?? '',
  };
}

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
const UNLISTED_STATUS = 'IN_CLEARING';

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

/** The final status of each outcome, chosen at acceptance; undefined: it stays SUBMITTED. */
export const ENDS = {
  complete: 'COMPLETED',
  refund: 'COMPLETED',
  fail: 'FAILED',
  close: 'CLOSED',
  stuck: undefined,
} as const satisfies Record<string, OrderStatus | undefined>;

export type Outcome = keyof typeof ENDS;

interface Sentinel {
  outcome?: Outcome;
  /** Waits for an audit at any amount. */
  audit?: boolean;
  /** Refused with this code, without an order. */
  code?: RefusalCode;
  says: string;
}

/**
 * Failures that anyone can trigger: the `note` of a payment, transfer or exchange is exactly one of these. Ordinary notes do not
 * start with `sandbox:`; one that does but is not listed is refused (2002), so that typing errors are noticed.
 */
export const SENTINELS: Readonly<Record<string, Sentinel>> = {
  'sandbox:fail': { outcome: 'fail', says: 'ends FAILED; the money comes back' },
  'sandbox:close': { outcome: 'close', says: 'ends CLOSED; the money comes back' },
  'sandbox:stuck': { outcome: 'stuck', says: 'stays SUBMITTED; the money stays frozen' },
  'sandbox:refund': {
    outcome: 'refund',
    says: 'ends COMPLETED; a REFUND order for the amount follows (payments only)',
  },
  'sandbox:audit': { audit: true, says: 'waits for approval regardless of the amount' },
  'sandbox:code-2001': { code: 2001, says: 'refused with 2001; no order is created' },
  'sandbox:code-2008': { code: 2008, says: 'refused with 2008; no order is created' },
  'sandbox:code-2011': { code: 2011, says: 'refused with 2011; no order is created' },
};

const PREFIX = 'sandbox:';

/** The sentinel in an order's note. Throws its code, or 2002 if it does not fit the order. */
export function sentinelOf(note: string | null, type: string): { outcome: Outcome; audit: boolean } {
  const sentinel = note !== null && Object.hasOwn(SENTINELS, note) ? SENTINELS[note] : undefined;
  if (sentinel === undefined && note?.startsWith(PREFIX)) throw badRequest('not a note that the sandbox knows');
  if (sentinel?.outcome === 'refund' && type !== 'PAYMENT') throw badRequest('only a payment is refunded');
  if (sentinel?.code !== undefined) throw new Refusal(sentinel.code);
  return { outcome: sentinel?.outcome ?? 'complete', audit: sentinel?.audit ?? false };
}
