import type { CardPaymentType, CardPaymentView } from '../../domain/card-payment.ts';
import type { ReadOptions, SendOptions } from '../call-options.ts';

/**
 * Card acquiring (interface section 4, "Card acquiring endpoints"). Field names on the wire: `card-fields.ts`; members of a card
 * and a device are called as there.
 */

/** Never logged, never in an error, never stored. */
export interface CardDetails {
  /** Digits only. */
  number: string;
  /** `01` to `12`. */
  expiry_month: string;
  /** Four digits. */
  expiry_year: string;
  cvv?: string;
  holder_name?: string;
}

export interface Billing {
  email?: string;
  line1?: string;
  line2?: string;
  city?: string;
  state?: string;
  postcode?: string;
  /** ISO 3166 alpha-2. */
  country?: string;
}

export interface DeviceInfo {
  ip?: string;
  language?: string;
  /** Pixels. */
  screen_width?: number;
  screen_height?: number;
  user_agent?: string;
}

export interface SetUpRequest {
  card: CardDetails;
  /** Decimal string. */
  amount: string;
  currency: string;
}

export interface ThreeDsSession {
  referenceId: string;
  /** Passed through as the acquirer gave it. */
  dataCollectionInfo: unknown;
}

export interface PaymentIntent {
  /** Of a resume, an id of its own: under the first one the acquirer would repeat its first answer for 24 hours. */
  merchantRequestId: string;
  paymentType: CardPaymentType;
  amount: string;
  currency: string;
}

export interface CreateRequest extends PaymentIntent {
  card: CardDetails;
  /** Of the 3DS session; absent without a setup. */
  referenceId?: string;
  returnUrl: string;
  billing?: Billing;
  deviceInfo?: DeviceInfo;
}

export interface ResumeRequest extends PaymentIntent {
  paymentId: string;
  referenceId?: string;
}

/** Contents of a webhook (interface section 6: payload not shown). */
export interface CardNotice {
  kind: 'status' | 'completion';
  paymentId: string | undefined;
  status: string | undefined;
  /** Of the 3DS session. */
  referenceId: string | undefined;
  merchantRequestId: string | undefined;
  /** As the event says; absent where it says none. */
  amount?: string | undefined;
  currency?: string | undefined;
  /** It says an amount in a form that cannot be read. */
  unread?: boolean;
}

export interface Cards {
  /** Takes no money and may be repeated, each time with a new session. Failures are `BankError`s. */
  setUp(request: SetUpRequest, options?: SendOptions): Promise<ThreeDsSession>;
  /** At most one POST. Failures are `BankError`s; their `outcome` says what is known about the money. */
  create(request: CreateRequest, options?: SendOptions): Promise<CardPaymentView>;
  resume(request: ResumeRequest, options?: SendOptions): Promise<CardPaymentView>;
  retrieve(paymentId: string, options?: ReadOptions): Promise<CardPaymentView>;
  /** The raw payment, for people: digits that look like a card number are masked. */
  retrieveRaw(paymentId: string, options?: ReadOptions): Promise<unknown>;
  /** Reads a webhook's JSON; undefined if it names no payment and no session. */
  noticeOf(body: unknown): CardNotice | undefined;
}
