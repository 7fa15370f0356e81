import type { Bank } from '../api/bank.ts';
import type { BusinessCalendar } from '../domain/business-days.ts';
import type { CardEvent, CardPaymentInput } from '../domain/card-payment.ts';
import type { CardTerms } from '../domain/card-terms.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { ClosedMeaning } from '../domain/order-status.ts';
import type { ApprovalRule, ReferenceDedupe, Waits } from '../domain/policy.ts';
import type { Store } from '../store/store.ts';

/** What the worker is set to; durations in ms, our own waits already scaled. */
export interface WorkerSettings {
  waits: Waits;
  referenceDedupe: ReferenceDedupe;
  closedMeans: ClosedMeaning;
  approvalRules: readonly ApprovalRule[];
  feeCap: string | undefined;
  maxSlippage: string;
  /** A transfer may go to an account of another user that the key sees. */
  transferAcrossUsers: boolean;
  /** Days on which nothing is due; absent: every day is a business day. */
  calendar: BusinessCalendar | undefined;
  /** The bank's time, never scaled: becomes `expired_at`. */
  auditTtlMs: number;
  /** How far the bank's clock may be off; widens every list window. Never scaled. */
  clockSkewMs: number;
  /** First pause between sweeps of the order watch. */
  sweepMs: number;
  sweepMaxMs: number;
  /** Orders open for longer are looked up one by one. */
  sweepWindowMs: number;
  /** Records asked for per page. */
  pageSize: number;
  /** Payouts of one batch between release and the acceptance of their order. */
  window: number;
  /** Payouts with an order open at the bank, over all batches: at this many none is released. */
  openOrders: number;
  /** Pause between two looks of a batch at its rows. */
  batchPulseMs: number;
  /** A released row without news for this long has its workflow described. */
  quietRowMs: number;
  /** How often a running batch looks for rows whose workflow is gone, and for watches that are missing. */
  quietCheckMs: number;
  /** How long after its last change a payout is compared with the bank's orders. Never scaled. */
  reconcileDays: number;
  /** Pause between two passes of the reconciliation. */
  reconcileEveryMs: number;
  cardTerms: CardTerms;
}

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
    batchId: string | null;
    currency: string;
    input: Record<string, string | number>;
    summary: string;
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

/** Payload of the signal `orderChanged`. The GET decides; this only says where to look. */
export interface OrderNotice {
  reference: string;
  orderId: string;
  status: string;
}

export interface ActivityDeps {
  bank: Bank;
  store: Store;
  executions: Executions;
  settings: WorkerSettings;
  now: () => number;
  /** Rules of an instruction (`src/erp`), injected because activities do not import readers. Empty: no finding. */
  checkInstruction(instruction: PayoutInstruction, kind: PayoutKind): readonly { rule: string; message: string }[];
  /** Throws when the store belongs to another bank or namespace than this worker (checked before every POST). */
  assertIdentity(): Promise<void>;
}
