import type { OrderStatus } from '../../bank/schemas/order-status.ts';
import { badRequest, Refusal, type RefusalCode } from '../requests.ts';

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
  /** Waits for an audit whatever its amount. */
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
