import type { CardEvent, CardHandle, CardPaymentType, CardPaymentView } from './card-payment.ts';

/**
 * Contracts of the activities that speak to the acquirer. Those that need the card run in the gateway that keeps it (task
 * queue `CardHandle.vault`); no result holds anything of the card.
 */

export interface SetUpInput {
  merchantRequestId: string;
  card: CardHandle;
  amount: string;
  currency: string;
}

export type SetUpResult =
  | { outcome: 'ready'; referenceId: string; dataCollectionInfo: unknown }
  /** The vault does not have the card any more: the cardholder must enter it again. */
  | { outcome: 'card-gone' }
  /** Nothing that could take money was asked for: it may be asked again. */
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
  /** Of the 3-D Secure session; null without a set-up, or when this run does not know it. */
  referenceId: string | null;
}

/** Creates a payment. */
export interface CreateInput extends CardPost {
  card: CardHandle;
  /** The card is needed again should the acquirer ask for a set-up. */
  keepCard: boolean;
  /** Payments of this intent that have taken nothing. */
  over: readonly string[];
}

/** Resumes a payment after its challenge: no card. */
export interface ResumeInput extends CardPost {
  /** Attempts of other runs in doubt under this requestId that this run knows of. */
  othersKnown?: number;
  paymentId: string;
}

/** What one POST told us (the classes of `domain/submission.ts`, with a payment in the place of an order). */
export type CardSendResult =
  /** `events`: those that came before this answer. */
  | {
      outcome: 'answered';
      payment: CardPaymentView;
      events: CardEvent[];
      /** Of the 3-D Secure session, where another run made it with another one. */
      referenceId?: string | null;
    }
  | { outcome: 'not-sent'; why: string }
  | { outcome: 'card-gone' }
  | { outcome: 'refused'; why: string }
  /** `barred`: nothing was sent and nothing will be, because another run has sent under this requestId. */
  | { outcome: 'ambiguous'; why: string; barred?: boolean }
  /** Nothing was sent: the payment has an end in the store. */
  | { outcome: 'ended' };

/** Activities on the task queue of a vault. */
export interface VaultActivities {
  setUpCard(input: SetUpInput): Promise<SetUpResult>;
  createCardPayment(input: CreateInput): Promise<CardSendResult>;
  /** Makes the vault forget the card; it may not have it any more. */
  forgetCard(card: CardHandle): Promise<void>;
}
