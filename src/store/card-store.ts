import type { CardEvent, CardPaymentType, CardState } from '../domain/card-payment.ts';
import type { Reason } from '../domain/payout-state.ts';

/** What the store keeps of card payments: no card number, no CVV, no name, no address. */
export interface CardRecord {
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
  reason: Reason | null;
  /** The payment followed now, or the one it ended by. */
  paymentId: string | null;
  /** Run that holds the claim; null before a workflow took it. */
  runId: string | null;
  /** Epoch ms of the first event that contradicted the end; null: none did. */
  contradictedAt: number | null;
  createdAt: number;
  updatedAt: number;
  endedAt: number | null;
}

export interface CardClaim {
  merchantRequestId: string;
  workflowId: string;
  amount: string;
  currency: string;
  paymentType: CardPaymentType;
  digest: string;
  by: string | null;
  /** Absent: claimed by a door, before its workflow runs. */
  runId?: string;
  clientSecretSha256?: string;
  at: number;
}

export interface CardClaimed {
  record: CardRecord;
  /** False when the id is known with another digest. */
  samePayload: boolean;
  /** Another run has held it: it may have sent something. */
  holder: 'this-run' | 'other-run';
}

export interface CardChange {
  /** Absent: as it is. */
  state?: CardState;
  reason?: Reason | null;
  paymentId?: string;
  bin?: string;
  lastFour?: string;
  amount?: string;
  at: number;
}

/** What happened with an event: the workflow was told of it, or after the end it said the same again or contradicted it. */
export type CardEventEffect = 'delivered' | 'confirms' | 'contradicts';

export interface StoredCardEvent extends CardEvent {
  /** Message id of the signature scheme, or a digest of the body. */
  receiptId: string;
  merchantRequestId: string | null;
  effect: CardEventEffect | null;
  deliveredAt: number | null;
  /** How often its payment was asked for. */
  looks: number;
}

export interface UndeliveredPage {
  /** The last event of the page before. */
  after?: Pick<StoredCardEvent, 'receivedAt' | 'receiptId'>;
  /** Leaves out events that were looked after this often. */
  looksBelow?: number;
}

/** Card payments, their requests and their events. */
export interface CardStore {
  /**
   * Takes the id, or finds who has it. With a `runId` the run takes the claim over; a `clientSecretSha256` replaces the one
   * before. A stored end is never left.
   */
  claim(claim: CardClaim): Promise<CardClaimed>;
  get(merchantRequestId: string): Promise<CardRecord | undefined>;
  /** By merchant_request_id, payment_id or request id. */
  find(id: string): Promise<CardRecord | undefined>;
  list(limit: number): Promise<CardRecord[]>;
  /** The first end wins: a record that has one stays as it is. Returns what is stored then. */
  change(merchantRequestId: string, change: CardChange): Promise<CardRecord>;
  /** Notes that `requestId` on the wire belongs to this payment; the same again changes nothing. */
  addRequest(requestId: string, merchantRequestId: string): Promise<void>;
  /** Owner of a request id on the wire. */
  ownerOfRequest(requestId: string): Promise<string | undefined>;
  /**
   * Says which intent a payment_id belongs to (the first owner stays) and then, in a statement of its own, returns the events
   * known for that payment: an event that is stored at the same time is seen by one of the two sides.
   */
  link(paymentId: string, merchantRequestId: string, at: number): Promise<CardEvent[]>;
  ownerOfPayment(paymentId: string): Promise<string | undefined>;
  paymentsOf(merchantRequestId: string): Promise<string[]>;
  /**
   * Stores an event durably before it resolves. `known`: the same receipt or the same event (kind, payment, status) is there
   * already and nothing was stored, except that a verified one takes the place of a hint, and that a hint is taken again once
   * the one before had its effect (`new`).
   */
  receive(event: CardEvent & { receiptId: string; merchantRequestId: string | null }): Promise<'new' | 'known'>;
  /** Events without an effect that belong to an intent (`owned`) or to none yet, oldest first, page by page. */
  undelivered(owned: boolean, limit: number, page?: UndeliveredPage): Promise<StoredCardEvent[]>;
  eventsOf(merchantRequestId: string): Promise<StoredCardEvent[]>;
  /** The first effect stays, except that `delivered` turns out to be `contradicts`, which also marks the payment. */
  settleEvent(
    event: Pick<CardEvent, 'kind' | 'paymentId' | 'status'>,
    settled: { merchantRequestId: string; effect: CardEventEffect; at: number },
  ): Promise<void>;
  /** People let the end stand against what contradicts it: with an audit entry. False when nothing contradicted it. */
  confirmEnd(merchantRequestId: string, word: { by: string; evidence: string; at: number }): Promise<boolean>;
  countLook(event: Pick<CardEvent, 'kind' | 'paymentId' | 'status'>): Promise<void>;
  /** Payouts that wait for a card payment; the same again changes nothing. */
  addWaiter(merchantRequestId: string, payoutWorkflowId: string): Promise<void>;
  waiters(merchantRequestId: string): Promise<string[]>;
}
