import type { OrderStage } from '../../domain/order-status.ts';
import { inCapitals } from './wire.ts';

/** Order statuses (interface section 3). Transitions are not shown, so none is assumed. */
const STAGES = {
  ACCEPTED: 'open',
  WAIT_FOR_AUDIT: 'awaiting-audit',
  SUBMITTING: 'past-audit',
  SUBMITTED: 'past-audit',
  COMPLETED: 'paid',
  APPROVED: 'past-audit',
  APPROVING: 'past-audit',
  REJECTED: 'rejected',
  REJECTING: 'open',
  CANCELLED: 'cancelled',
  CANCELLING: 'open',
  FAILED: 'failed',
  CLOSED: 'closed',
} as const satisfies Record<string, OrderStage>;

export type OrderStatus = keyof typeof STAGES;

export const ORDER_STATUSES = Object.keys(STAGES) as readonly OrderStatus[];

/** The stage of an order with this status; a status that the interface does not list is never guessed. */
export function orderStage(status: string): OrderStage {
  const word = inCapitals(status);
  return Object.hasOwn(STAGES, word) ? STAGES[word as OrderStatus] : 'unknown';
}
