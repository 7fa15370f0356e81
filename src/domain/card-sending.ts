import type { CardEvent, CardHandle, CardPaymentType, CardPaymentView } from './card-payment.ts';

/**
 * Contracts of the activities that call the acquirer. Those that need the card run in the gateway that holds it (task queue
 * `CardHandle.vault`); no result holds card data.
 */

export interface SetUpInput {
  merchantRequestId: string;
  card: CardHandle;
  amount: string;
  currency: string;
}

export type SetUpResult =
  | { outcome: 'ready'; referenceId: string; dataCollectionInfo: unknown }
  /** The vault no longer has the card: the cardholder must enter it again. */
  | { outcome: 'card-gone' }
  /** Nothing was requested that could take money, so this may be repeated. */
  | { outcome: 'unavailable'; why: string }
  | { outcome: 'refused'; why: string };

/** One POST about a payment. `requestId` is the merchant_request_id on the wire. */
export interface CardPost {
  merchantRequestId: string;
  requestId: string;
  /** From 1, under this requestId. */
  attempt: number;
  amount: string;
  currency: string;
  paymentType: CardPaymentType;
  /** Id of the 3DS session; null without a setup, or if this run does not know it. */
  referenceId: string | null;
}

export interface CreateInput extends CardPost {
  card: CardHandle;
  /** Keep the card in the vault: the acquirer may still ask for a 3DS setup. */
  keepCard: boolean;
  /** Payments of this intent that took no money: it was started again with a 3DS setup. */
  over: readonly string[];
}

/** Resumes a payment after its challenge; needs no card. */
export interface ResumeInput extends CardPost {
  /** Number of attempts of other runs that this run knows to be in doubt under this requestId. */
  othersKnown?: number;
  paymentId: string;
}

/** Result of one POST (the classes of `domain/submission.ts`, with a payment in place of an order). */
export type CardSendResult =
  /** `events`: those that arrived before this answer. */
  | {
      outcome: 'answered';
      payment: CardPaymentView;
      events: CardEvent[];
      /** Id of the 3DS session, if another run made the payment with a different one. */
      referenceId?: string | null;
    }
  | { outcome: 'not-sent'; why: string }
  | { outcome: 'card-gone' }
  | { outcome: 'refused'; why: string }
  /** `barred`: nothing was or will be sent, because another run has sent under this requestId. */
  | { outcome: 'ambiguous'; why: string; barred?: boolean }
  /** Nothing was sent: the store has an end for the payment. */
  | { outcome: 'ended' };

/** Activities on the task queue of a vault. */
export interface VaultActivities {
  setUpCard(input: SetUpInput): Promise<SetUpResult>;
  createCardPayment(input: CreateInput): Promise<CardSendResult>;
  /** Makes the vault forget the card; no error if it no longer has it. */
  forgetCard(card: CardHandle): Promise<void>;
}
