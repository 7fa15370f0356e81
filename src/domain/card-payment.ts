import type { Reason } from './payout-state.ts';

/**
 * A card payment (acquiring): one intent of a merchant to take money from a card, under one merchant_request_id (interface
 * sections 2 and 3, "Card payment"). Nothing here holds a card number, a CVV, a name or an address: those exist only in the vault
 * of a gateway.
 */

/** States of a card payment, in the order of its life. Ours are kebab-case, the acquirer's UPPER_SNAKE. */
export const CARD_STATES = [
  'received',
  'awaiting-card',
  'setting-up',
  'awaiting-fingerprint',
  'submitting',
  'resolving',
  'awaiting-cardholder',
  'resuming',
  'processing',
  'needs-operator',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export type CardState = (typeof CARD_STATES)[number];

export const CARD_ENDS = ['succeeded', 'failed', 'cancelled'] as const satisfies readonly CardState[];
export type CardEnd = (typeof CARD_ENDS)[number];

export const isCardEnd = (state: CardState): state is CardEnd => (CARD_ENDS as readonly string[]).includes(state);

/**
 * What a terminal `payment_status` means (interface section 3); undefined for any other status, from which nothing is concluded.
 */
export function endOfStatus(status: string): 'succeeded' | 'failed' | undefined {
  if (status === 'SUCCEEDED') return 'succeeded';
  return status === 'FAILED' ? 'failed' : undefined;
}

/** AUTH or DEBIT (interface section 4, "Create payment"). */
export type CardPaymentType = 'AUTH' | 'DEBIT';

/**
 * Where the card of a payment is: a single-use handle and the task queue of the gateway that holds it. Workflows and people see
 * no more of the card than this.
 */
export interface CardHandle {
  handle: string;
  /** Task queue of the one gateway process whose memory holds the card. */
  vault: string;
  /** First six digits. */
  bin: string;
  last_four: string;
  /** Epoch ms after which the vault has forgotten the card. */
  expires_at: number;
}

/** Input of the workflow type `cardPayment`; the workflow id is `card/<merchant_request_id>`. */
export interface CardPaymentInput {
  merchant_request_id: string;
  /** Decimal string. */
  amount: string;
  currency: string;
  payment_type: CardPaymentType;
  /** `skip`: create without a 3DS setup; if the acquirer requires one, the payment starts over with it. */
  three_ds: 'setup' | 'skip';
  /** Absent: the payment waits for a card (update `provideCard`). */
  card?: CardHandle;
  /** Who requested the payment. */
  by?: string;
}

/** Input with which a claimed payment is started again; if it still needs a card, the card must be provided again. */
export function cardPaymentInput(record: {
  merchantRequestId: string;
  amount: string;
  currency: string;
  paymentType: CardPaymentType;
  by: string | null;
}): CardPaymentInput {
  return {
    merchant_request_id: record.merchantRequestId,
    amount: record.amount,
    currency: record.currency,
    payment_type: record.paymentType,
    three_ds: 'setup',
    ...(record.by === null ? {} : { by: record.by }),
  };
}

/** What the acquirer shows of one payment, without card data. */
export interface CardPaymentView {
  paymentId: string;
  status: string;
  nextAction: { type: string; verifyUrl: string | null } | null;
  /** As shown by the acquirer; absent if not shown. */
  amount?: string;
  currency?: string;
  merchantRequestId?: string;
}

/**
 * One event about a card payment, as stored: a verified webhook, or one that only says where to look (`hint`: trusted by sender
 * address alone). `kind` `status`: about `payment_status`; `completion`: the cardholder has finished a 3DS challenge.
 */
export interface CardEvent {
  kind: 'status' | 'completion';
  /** Empty for a completion that names only the 3DS session. */
  paymentId: string;
  /** `payment_status`; for a completion the 3DS `reference_id`, if any, and the id of the notice. */
  status: string;
  trust: 'verified' | 'hint';
  /** Epoch ms. */
  receivedAt: number;
  /** As the event shows it; absent or null if not shown. */
  amount?: string | null;
  currency?: string | null;
}

/** Deduplication key: an event that arrives twice has one effect. */
export const cardEventKey = ({ kind, paymentId, status }: Pick<CardEvent, 'kind' | 'paymentId' | 'status'>): string =>
  `${kind}/${paymentId}/${status}`;

/** Answer of the query `state` of a card payment. */
export interface CardStateView {
  state: CardState;
  reason: Reason | null;
  merchant_request_id: string;
  payment_id: string | null;
  payment_status: string | null;
  amount: string;
  currency: string;
  bin: string | null;
  last_four: string | null;
  /** Where the browser goes while the cardholder must act. */
  next_action: { type: string; verify_url: string } | null;
  /** What the frontend needs while the device fingerprint is collected, as the acquirer gave it. */
  data_collection_info: unknown;
  /** What was tried and seen, newest last. */
  evidence: readonly { at: string; what: string }[];
}
