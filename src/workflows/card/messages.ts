import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { CardEvent, CardHandle, CardStateView } from '../../domain/card-payment.ts';
import { MESSAGES } from '../../domain/names.ts';
import type { CancelRequest, ResolveAnswer } from '../messages.ts';

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
