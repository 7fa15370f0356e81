import type { CardEvent, CardPaymentInput } from '../domain/card-payment.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { OrderNotice } from '../domain/order-notice.ts';

/** Starting and reaching workflow executions; implemented over the Temporal client (`src/temporal/executions.ts`). */
export interface Executions {
  /**
   * Starts a payout unless its workflow is open or has completed. One that was closed otherwise is started anew: the claim
   * in the store is the lock, not the workflow id.
   */
  startPayout(start: {
    workflowId: string;
    /** Absent: a payout. */
    kind?: PayoutKind;
    reference: string;
    input: Record<string, string | number>;
    summary: string;
    /** Comes before those that are not; absent: it is not. */
    isUrgent?: boolean;
    /** Begins this much later, shown as `scheduled` until then; absent: at once. */
    delayMs?: number;
    /** Also when the last run of this id completed: its row must have no end. */
    evenCompleted?: boolean;
  }): Promise<'started' | 'already-started'>;
  /** Unless it runs. */
  startBatch(batchId: string, file: string): Promise<void>;
  wakeWatch(key: { uid: string; currency: string }): Promise<void>;
  /** False when no such workflow is open. */
  orderChanged(workflowId: string, notice: OrderNotice): Promise<boolean>;
  approve(workflowId: string, decision: { by: string; note?: string }): Promise<boolean>;
  reject(workflowId: string, decision: { by: string; remark: string }): Promise<boolean>;
  /** Asks a payout to cancel; false when no such workflow is open. */
  cancelPayout(workflowId: string, request: { by: string; reason: string }): Promise<boolean>;
  /** A held payout looks whether its reason is gone; false when no such workflow is open. */
  lookAgain(workflowId: string): Promise<boolean>;
  isOpen(workflowId: string): Promise<boolean>;
  /** Starts a card payment whose workflow was closed without an end; it looks at what was sent first. */
  startCardPayment(input: CardPaymentInput): Promise<void>;
  /** Tells a card payment of an event, once for each `requestId`; false when no such workflow is open. */
  cardEvent(merchantRequestId: string, event: CardEvent, requestId: string): Promise<boolean>;
}
