import type { Bank, OrderScan } from '../bank/bank.ts';
import type { ReadDoubt } from '../domain/absence.ts';
import type { CardEvent, CardPaymentInput } from '../domain/card-payment.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { PaidOrder } from '../domain/order-judgement.ts';
import type { OrderNotice } from '../domain/order-status.ts';
import type { WorkerSettings } from '../domain/settings.ts';
import type { Caller, Sender } from '../store/claimed-row.ts';
import type { Store, WatchKey } from '../store/store.ts';
import type { PayeeChecks } from './payee-checks.ts';

export interface ActivityDeps extends Sender {
  bank: Bank;
  executions: Executions;
  settings: WorkerSettings;
  readList: ReadList;
  /** Absent: payees are not checked. */
  checks?: PayeeChecks;
  /** Runs what is done for a payout outside its own activities as a part of its trace; absent: there are no traces. */
  traced?<T>(workflowId: string, name: string, work: () => Promise<T>): Promise<T>;
  /** Rules of an instruction (`src/files/rules`), injected because activities do not import readers. Empty: no finding. */
  checkInstruction(instruction: PayoutInstruction, kind: PayoutKind): readonly { rule: string; message: string }[];
}

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
  /** Whether the run waits for a notification of this order's end. */
  awaitsEnd(run: { workflowId: string; runId: string }, orderId: string): Promise<boolean>;
  /** Notifies the run of the end of the order that it waits for; false when it does not wait for that. */
  endOrder(run: { workflowId: string; runId: string }, orderId: string, paid: PaidOrder): Promise<boolean>;
  approve(workflowId: string, decision: { by: string; note?: string }): Promise<boolean>;
  reject(workflowId: string, decision: { by: string; remark: string }): Promise<boolean>;
  /** Asks a payout to cancel; false when no such workflow is open. */
  cancelPayout(workflowId: string, request: { by: string; reason: string }): Promise<boolean>;
  /** Makes a held payout check whether its reason is gone; false when no such workflow is open. */
  readAgain(workflowId: string): Promise<boolean>;
  isOpen(workflowId: string): Promise<boolean>;
  /** Starts a card payment whose workflow was closed without an end; it first reads what was sent. */
  startCardPayment(input: CardPaymentInput): Promise<void>;
  /** Signals an event to a card payment, once per `requestId`; false when no such workflow is open. */
  cardEvent(merchantRequestId: string, event: CardEvent, requestId: string): Promise<boolean>;
}

/** Dependencies of the code that reads the bank's lists. */
export interface ListReadDeps {
  store: Store;
  bank: Bank;
  settings: WorkerSettings;
  now: () => number;
}

export interface ListReadRequest extends WatchKey {
  /** Epoch ms of our clock: the orders sent since then are searched for. */
  since: number;
  /** The list is read from this time on, epoch ms of the bank's clock; 0: from its beginning. */
  from: number;
  /** Whether the list is to prove that an order is absent: it is read from earlier on, and its orders are noted in the store. */
  toProve: boolean;
  /** A reading in progress is accepted if it began at this time or later (epoch ms); undefined: only one that begins after the call. */
  after?: number;
}

/** A list as it was read. */
export interface SeenList extends Omit<OrderScan, 'doubt'> {
  /** When the reading began, epoch ms of our clock. */
  beganAt: number;
  /** Why it proves nothing; undefined: it does. */
  doubt: ReadDoubt | undefined;
}

export type ReadList = (request: ListReadRequest) => Promise<SeenList>;

/** What long work needs from its caller. */
export interface LongRun {
  /** Rejects early when the work is to stop. */
  sleep(ms: number): Promise<void>;
  /** Aborted when the work is to stop. */
  signal: AbortSignal;
  warn(message: string, fields: Record<string, unknown>): void;
}

/** The workflow run that has scheduled an activity, and the activity as Temporal runs it. */
export type Run = Caller & LongRun;
