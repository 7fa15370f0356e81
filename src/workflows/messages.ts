import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { BatchProgress } from '../activities/batch.ts';
import type { DecideUpdate } from '../domain/authority.ts';
import type { CardEvent, CardHandle, CardStateView } from '../domain/card-payment.ts';
import { MESSAGES } from '../domain/names.ts';
import type { OrderNotice } from '../domain/order-status.ts';
import type { Flag } from '../domain/payee.ts';
import type { PayoutState, Reason, ResolveRequest } from '../domain/payout-state.ts';

export type { DecideUpdate, ResolveRequest };

/** Every signal, update and query. Names and payloads are contracts. */

interface ApproveSignal {
  by: string;
  note?: string;
}
interface RejectSignal {
  by: string;
  remark: string;
}
export const approveSignal = defineSignal<[ApproveSignal]>(MESSAGES.approve);
export const rejectSignal = defineSignal<[RejectSignal]>(MESSAGES.reject);
/** The payload only says which order to read; absent: read every order. */
export const orderChangedSignal = defineSignal<[OrderNotice?]>(MESSAGES.orderChanged);
export const ordersOpenedSignal = defineSignal(MESSAGES.ordersOpened);
export const reconcileNowSignal = defineSignal(MESSAGES.reconcileNow);

export interface DecideAnswer {
  /** `passed-on`: the bank has taken the rejection of its order, and only the order's status ends the payout. */
  outcome: 'approved' | 'rejected' | 'passed-on' | 'counted';
  /** Number of people still missing. */
  missing: number;
}
export const decideUpdate = defineUpdate<DecideAnswer, [DecideUpdate]>(MESSAGES.decide);

export interface CancelRequest {
  by: string;
  reason: string;
}
export interface CancelAnswer {
  outcome: 'cancelled' | 'too-late' | 'pending';
}
export const cancelUpdate = defineUpdate<CancelAnswer, [CancelRequest]>(MESSAGES.cancel);

export interface ResolveAnswer {
  accepted: boolean;
  /** Why it was not accepted, or what follows. */
  message: string;
}
export const resolveUpdate = defineUpdate<ResolveAnswer, [ResolveRequest]>(MESSAGES.resolve);

/** Answer of the query `state`: where the payout is, why, and who must act. */
export interface PayoutStateView {
  state: PayoutState;
  reason: Reason | null;
  reference: string;
  orderId: string | null;
  bankStatus: string | null;
  fee: string | null;
  feeCurrency: string | null;
  awaited: {
    kind: string;
    digest: string;
    needed: number;
    approvedBy: readonly string[];
    expiresAt: string | null;
    /** What people should check before they decide. */
    flags: readonly Flag[];
  } | null;
  /** What was tried and seen, newest last: attempts, queries, decisions. */
  evidence: readonly Evidence[];
}
export interface Evidence {
  at: string;
  what: string;
}
export const stateQuery = defineQuery<PayoutStateView>(MESSAGES.state);

export interface BatchRequest {
  by: string;
  note?: string;
}
export const pauseUpdate = defineUpdate<{ control: string }, [BatchRequest]>(MESSAGES.pause);
/** No further row is released; released ones continue to their end. */
export const drainUpdate = defineUpdate<{ control: string }, [BatchRequest]>(MESSAGES.drain);
export const resumeUpdate = defineUpdate<{ control: string }, [BatchRequest]>(MESSAGES.resume);
export const cancelBatchUpdate = defineUpdate<{ control: string }, [BatchRequest]>(MESSAGES.cancel);
export const approveBatchUpdate = defineUpdate<{ asked: number }, [BatchRequest]>(MESSAGES.approve);
export const progressQuery = defineQuery<BatchProgress | null>(MESSAGES.progress);

/** Signals, updates and the query of a card payment. Names and payloads are contracts. */

/** A stored event about one of its payments; sent once for each event. */
export const cardEventSignal = defineSignal<[CardEvent]>(MESSAGES.cardEvent);
/** The frontend has collected the device fingerprint. */
export const fingerprintDoneSignal = defineSignal(MESSAGES.fingerprintDone);
/** The cardholder's browser is back at `return_url`. */
export const cardholderReturnedSignal = defineSignal(MESSAGES.cardholderReturned);

/** Gives the payment its card, or again one that was lost before it was used. Accepted only in `awaiting-card`, and only if it has no card. */
export const provideCardUpdate = defineUpdate<{ accepted: true }, [CardHandle]>(MESSAGES.provideCard);

/** Changes the amount before anything was sent that could take it; a new 3DS session is then set up. */
export const changeAmountUpdate = defineUpdate<{ amount: string }, [{ amount: string; by: string }]>(
  MESSAGES.changeAmount,
);

export const cancelCardUpdate = defineUpdate<{ outcome: 'cancelled' | 'too-late' }, [CancelRequest]>(MESSAGES.cancel);

/**
 * Decides what the interface cannot: `adopt-payment` follows this payment_id (checked by retrieve), `close-as-not-paid` ends the
 * payment as failed, `keep-looking` queries once more.
 */
export interface ResolveCardUpdate {
  action: 'keep-looking' | 'adopt-payment' | 'close-as-not-paid';
  by: string;
  evidence: string;
  paymentId?: string;
}
export const resolveCardUpdate = defineUpdate<ResolveAnswer, [ResolveCardUpdate]>(MESSAGES.resolve);

export const cardStateQuery = defineQuery<CardStateView>(MESSAGES.state);
