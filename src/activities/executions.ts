import type { CardEvent, CardPaymentInput } from '../domain/card-payment.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { PaidOrder } from '../domain/order-judgement.ts';
import type { OrderNotice } from '../domain/order-status.ts';

/** Starts and reaches workflow executions; implemented over the Temporal client (`src/platform/temporal/executions.ts`). */
export interface Executions {
  /**
   * Starts a payout unless its workflow is open or has completed. One that was closed otherwise is started again: the lock is the
   * claim in the store, not the workflow id.
   */
  startPayout(start: {
    workflowId: string;
    /** Absent: a payout. */
    kind?: PayoutKind;
    reference: string;
    input: Record<string, string | number>;
    summary: string;
    /** Its tasks go before those of payouts that are not urgent; default false. */
    isUrgent?: boolean;
    /** Start delay; the payout is shown as `scheduled` until then. Absent: none. */
    delayMs?: number;
    /** Start even if the last run of this id completed; the row must have no end. */
    evenCompleted?: boolean;
  }): Promise<'started' | 'already-started'>;
  /** Starts the workflow of a batch unless it runs. */
  startBatch(batchId: string, file: string): Promise<void>;
  wakeWatch(key: { uid: string; currency: string }): Promise<void>;
  /** False when no such workflow is open. */
  orderChanged(workflowId: string, notice: OrderNotice): Promise<boolean>;
  /** Whether the run waits to hear how this order ends. */
  awaitsEnd(run: { workflowId: string; runId: string }, orderId: string): Promise<boolean>;
  /** Tells the run how the order that it waits for ended; false when it does not wait for that. */
  endOrder(run: { workflowId: string; runId: string }, orderId: string, paid: PaidOrder): Promise<boolean>;
  approve(workflowId: string, decision: { by: string; note?: string }): Promise<boolean>;
  reject(workflowId: string, decision: { by: string; remark: string }): Promise<boolean>;
  /** Asks a payout to cancel; false when no such workflow is open. */
  cancelPayout(workflowId: string, request: { by: string; reason: string }): Promise<boolean>;
  /** Makes a held payout check whether its reason is gone; false when no such workflow is open. */
  lookAgain(workflowId: string): Promise<boolean>;
  isOpen(workflowId: string): Promise<boolean>;
  /** Starts a card payment whose workflow was closed without an end; it first looks at what was sent. */
  startCardPayment(input: CardPaymentInput): Promise<void>;
  /** Signals an event to a card payment, once per `requestId`; false when no such workflow is open. */
  cardEvent(merchantRequestId: string, event: CardEvent, requestId: string): Promise<boolean>;
}
