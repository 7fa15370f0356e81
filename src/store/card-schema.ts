import type { Selectable } from 'kysely';
import type { CardEvent, CardPaymentType, CardState } from '../domain/card-payment.ts';
import type { Reason } from '../domain/payout-state.ts';
import type { Json } from './json-columns.ts';

/** Tables of card payments, with the rows as callers see them: no card number, no CVV, no name, no address. */
export interface CardTables {
  cardPayments: CardPaymentTable;
  cardRequests: { requestId: string; merchantRequestId: string };
  cardPaymentIds: { paymentId: string; merchantRequestId: string; linkedAt: number };
  cardEvents: CardEventTable;
  cardWaiters: { merchantRequestId: string; payoutWorkflowId: string };
}

export const CARD_JSON = { cardPayments: { reason: true } } as const;

/** Nothing of a card but its first six and last four digits. */
interface CardPaymentTable {
  merchantRequestId: string;
  workflowId: string;
  /** Decimal string. */
  amount: string;
  currency: string;
  paymentType: CardPaymentType;
  /** Digest of what was asked for (`cardDigest`); another one under the same id is another payment. */
  digest: string;
  by: string | null;
  /** SHA-256 (hex) of the client secret a checkout page shows; null: none was made. */
  clientSecretSha256: string | null;
  bin: string | null;
  lastFour: string | null;
  state: CardState;
  reason: Json<Reason> | null;
  /** The payment followed now, or the one it ended by. */
  paymentId: string | null;
  /** The run that held the claim first: whatever run comes later must know that something may have been sent. */
  firstRunId: string | null;
  /** The run that holds it now; null before a workflow took it. */
  runId: string | null;
  /** The first event that contradicted the end; null: none did. */
  contradictedAt: number | null;
  createdAt: number;
  updatedAt: number;
  endedAt: number | null;
}

export type CardRecord = Selectable<CardPaymentTable>;

/** What happened with an event: the workflow was told of it, or after the end it said the same again or contradicted it. */
export type CardEventEffect = 'delivered' | 'confirms' | 'contradicts';

interface CardEventTable {
  kind: CardEvent['kind'];
  /** Empty for a completion that names the 3-D Secure session alone. */
  paymentId: string;
  status: string;
  trust: CardEvent['trust'];
  /** Message id of the signature scheme, or a digest of the body. */
  receiptId: string;
  /** As the event said it; what `cardPaymentIds` says counts first, also in what callers are given. */
  merchantRequestId: string | null;
  receivedAt: number;
  /** As the event said it. */
  amount: string | null;
  currency: string | null;
  effect: CardEventEffect | null;
  deliveredAt: number | null;
  /** How often its payment was asked for. */
  looks: number;
}

export type StoredCardEvent = Selectable<CardEventTable>;
