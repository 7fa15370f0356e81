import type { Selectable } from 'kysely';
import type { CardEvent, CardPaymentType, CardState } from '../domain/card-payment.ts';
import type { Reason } from '../domain/payout-state.ts';
import type { Json } from './engine/json-columns.ts';

/** Tables of card payments with their rows as callers see them. No card number, CVV, name or address. */
export interface CardTables {
  cardPayments: CardPaymentTable;
  cardRequests: { requestId: string; merchantRequestId: string };
  cardPaymentIds: { paymentId: string; merchantRequestId: string; linkedAt: number };
  cardEvents: CardEventTable;
  cardWaiters: { merchantRequestId: string; payoutWorkflowId: string };
}

/** Of the card only the first six and last four digits. */
interface CardPaymentTable {
  merchantRequestId: string;
  workflowId: string;
  /** Decimal string. */
  amount: string;
  currency: string;
  paymentType: CardPaymentType;
  /** Digest of the request (`cardDigest`); the same id with another digest is another payment. */
  digest: string;
  by: string | null;
  /** SHA-256 (hex) of the client secret given to a checkout page; null if none was made. */
  clientSecretSha256: string | null;
  bin: string | null;
  lastFour: string | null;
  state: CardState;
  reason: Json<Reason> | null;
  /** payment_id that is followed, or with which it ended. */
  paymentId: string | null;
  /** First run that held the claim: any later run must know that something may have been sent. */
  firstRunId: string | null;
  /** Run that holds the claim; null until a workflow takes it. */
  runId: string | null;
  /** The first event that contradicted the end; null: none did. */
  contradictedAt: number | null;
  createdAt: number;
  updatedAt: number;
  endedAt: number | null;
}

export type CardRecord = Selectable<CardPaymentTable>;

/**
 * `delivered`: signalled to the workflow. Otherwise it came after the end and `confirms` or `contradicts` it, or says neither
 * (`after-end`): another status, whatever it means.
 */
export type CardEventEffect = 'delivered' | 'confirms' | 'contradicts' | 'after-end';

interface CardEventTable {
  kind: CardEvent['kind'];
  /** Empty for a completion that names only the 3DS session. */
  paymentId: string;
  status: string;
  trust: CardEvent['trust'];
  /** Message id of the signature scheme, or a digest of the body. */
  receiptId: string;
  /** As given in the event; the link in `cardPaymentIds` takes precedence, also in what callers receive. */
  merchantRequestId: string | null;
  receivedAt: number;
  /** As the event said it. */
  amount: string | null;
  currency: string | null;
  effect: CardEventEffect | null;
  deliveredAt: number | null;
  /** How often its payment was queried. */
  looks: number;
}

export type StoredCardEvent = Selectable<CardEventTable>;
