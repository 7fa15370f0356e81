import { decimalsEqual, type Sum } from './money.ts';
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

/** What was sent of a card payment, by all its runs. */
export interface CardSent {
  /** Index of the last create, from 0, and its number of attempts. */
  creation: number;
  attempts: number;
  /** When the first attempt of that create that may have been executed was sent, epoch ms; null if none may have been. */
  inDoubtSince: number | null;
  /** Number of resumes that were answered or refused; the one after them may be in doubt. */
  resumes: number;
  /** Some resume may have been executed: only the acquirer can then end the payment. */
  resumed: boolean;
}

export const NOTHING_SENT: CardSent = { creation: 0, attempts: 0, inDoubtSince: null, resumes: 0, resumed: false };

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
 * One event about a card payment, as stored: a verified webhook, or one that only says what to read (`hint`: trusted by sender
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
export const cardEventKey = ({ kind, paymentId, status }: CardEvent): string => `${kind}/${paymentId}/${status}`;

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

/**
 * Terms of a card payment for its whole life, returned into history by its first activity. Durations are milliseconds, our own
 * waits already scaled.
 */
export interface CardTerms {
  /** How long the frontend may collect the device fingerprint (interface section 8: about 10 seconds). */
  fingerprintWaitMs: number;
  /** How long to wait for a card, or for the cardholder. */
  deadlineMs: number;
  /** After this long in PROCESSING without an event, the payment is queried, then at growing intervals. */
  patienceMs: number;
  /** A payment without an end after this long goes to an operator. */
  statusAgeLimitMs: number;
  /**
   * How long after its first attempt a request may be repeated under its merchant_request_id: less than the 24 hours in which the
   * acquirer repeats its first answer (interface section 8). The acquirer's time, never scaled.
   */
  repeatWindowMs: number;
  /**
   * What counts as "challenge completed": only its notice, or also the browser's return. The interface does not show which is
   * enough.
   */
  completion: 'notice-or-return' | 'notice';
  /** First pause of a loop that retries; it doubles up to `pollMaxMs`. */
  pollMs: number;
  pollMaxMs: number;
}

/** A 3DS setup older than this is made again: it is bound to one session of the cardholder and must not be kept. */
export const SESSION_MAX_MS = 10 * 60_000;

/** Maximum number of resumes of one payment: each needs its own id, and no challenge is completed more often. */
export const RESUMES_MAX = 8;
/** Number of these ids reserved for verified notices: a browser may return any number of times. */
export const RESUMES_FOR_NOTICES = 3;

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

/** A sum as the acquirer shows it; null or absent: not shown. */
type ShownText = string | null | undefined;
export type ShownSum = { [Part in keyof Sum]?: ShownText };

/** What was requested, and under which ids. */
interface CardExpectation extends Sum {
  /** Every merchant_request_id sent for this intent. */
  requestIds: readonly string[];
}

type CardConflict = 'amount-conflict' | 'payment-conflict' | 'status-contradicted';

type CardJudgement =
  | { end: 'succeeded' | 'failed'; paymentId: string }
  | { conflict: CardConflict; detail?: string }
  | { open: true };

/**
 * What queries (`reads`) and verified events together show. SUCCEEDED and FAILED are believed from either; two terminal statuses
 * that contradict each other decide nothing: people do. Amount and ids that a query or an event shows must be as requested; what
 * is not shown is not compared (interface section 2: fields not shown). An intent may have several payments (one declined for lack
 * of a 3DS setup is started again with one); only `current` can end it as failed.
 */
export function judgeCard(
  events: readonly CardEvent[],
  reads: readonly CardPaymentView[],
  expected: CardExpectation & { current: string },
): CardJudgement {
  const terminal = new Map<string, Set<'succeeded' | 'failed'>>();
  const say = (paymentId: string, status: string): void => {
    const end = endOfStatus(status);
    if (end === undefined) return;
    terminal.set(paymentId, (terminal.get(paymentId) ?? new Set()).add(end));
  };
  for (const event of events.filter(isStatement)) say(event.paymentId, event.status);
  for (const read of reads) say(read.paymentId, read.status);

  // An earlier declined payment may have had another amount, which matters only if it took money after all.
  const counted = events.filter(
    (event) => isStatement(event) && (event.paymentId === expected.current || saysPaid(event)),
  );
  const conflict = [...reads, ...counted]
    .map((shown) => conflictOf(shown, expected))
    .find((found) => found !== undefined);
  const taken = [...terminal].filter(([, ends]) => ends.has('succeeded')).map(([paymentId]) => paymentId);
  if (taken.length > 1) return { conflict: 'status-contradicted', detail: `${taken.length} payments took money` };
  if ([...terminal.values()].some((ends) => ends.size > 1)) return { conflict: 'status-contradicted' };
  if (conflict !== undefined) return { conflict };
  const [paid] = taken;
  if (paid !== undefined) return { end: 'succeeded', paymentId: paid };
  const { current } = expected;
  return terminal.has(current) ? { end: 'failed', paymentId: current } : { open: true };
}

/** Whether an event is a verified statement about a payment's status. */
const isStatement = ({ kind, trust }: CardEvent): boolean => kind === 'status' && trust === 'verified';

const saysPaid = ({ status }: CardEvent): boolean => endOfStatus(status) === 'succeeded';

/**
 * What a status shown after the stored end says of it; undefined: nothing. It is contradicted if money was taken although the end
 * says none, or another sum, or by another payment than the stored one; or if none was taken, or it was given back
 * (`backStatuses`, in capitals), although the end says that it was.
 */
export function saysOfEnd(
  stored: { state: CardState; paymentId: string | null } & Sum,
  shown: Pick<CardPaymentView, 'paymentId' | 'status'> & ShownSum,
  backStatuses: readonly string[],
): 'confirms' | 'contradicts' | undefined {
  const paid = stored.state === 'succeeded' && stored.paymentId === shown.paymentId;
  const end = endOfStatus(shown.status);
  if (end === undefined) return paid && backStatuses.includes(shown.status.toUpperCase()) ? 'contradicts' : undefined;
  const contradicts = end === 'succeeded' ? !paid || isAnotherSum(shown, stored) : paid;
  return contradicts ? 'contradicts' : 'confirms';
}

/** How the payment shown conflicts with what was requested; undefined if it does not. */
export function conflictOf(
  shown: Pick<CardPaymentView, 'merchantRequestId'> & ShownSum,
  expected: Sum & Pick<CardExpectation, 'requestIds'>,
): CardConflict | undefined {
  const { merchantRequestId } = shown;
  if (merchantRequestId !== undefined && !expected.requestIds.includes(merchantRequestId)) return 'payment-conflict';
  return isAnotherSum(shown, expected) ? 'amount-conflict' : undefined;
}

const isAnotherSum = (shown: ShownSum, { amount, currency }: Sum): boolean =>
  (shown.currency ?? currency) !== currency || !decimalsEqual(shown.amount ?? amount, amount);

/**
 * What two events about one status say together: a part that they say differently is kept in both forms, so that it equals no
 * other. Undefined if the later one adds nothing.
 */
export function combinedSum(known: ShownSum, said: ShownSum): ShownSum | undefined {
  const amount = bothOf(known.amount, said.amount, decimalsEqual);
  const currency = bothOf(known.currency, said.currency, () => false);
  return amount === known.amount && currency === known.currency ? undefined : { amount, currency };
}

const BETWEEN = ' / ';

/** Two forms are enough for people to investigate, and keep the text short. */
function bothOf(known: ShownText, said: ShownText, equal: (a: string, b: string) => boolean): ShownText {
  if (said == null || known === said) return known;
  if (known == null) return said;
  return known.includes(BETWEEN) || equal(known, said) ? known : `${known}${BETWEEN}${said}`;
}
