import type { EndState, Reason } from './payout-state.ts';

/** How a payout ended for a program of another team. It names no payee. */
export interface PayoutCallResult {
  /** Of this product; the bank knows the order by it. */
  reference: string;
  state: EndState;
  /** Null: it is completed. */
  reason: Reason | null;
  /** Of the bank; null: nothing was ordered. */
  orderId: string | null;
  /** Decimal. */
  amount: string;
  currency: string;
  /** The booked fee, decimal; null: none is known. */
  fee: string | null;
  feeCurrency: string | null;
}
