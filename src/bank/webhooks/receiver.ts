import { holdsCardNumber } from '../../domain/card-number.ts';
import type { CardEvent } from '../../domain/card-payment.ts';
import type { Log } from '../../domain/settings.ts';
import { isToken } from '../../domain/text.ts';
import type { CardStore } from '../../store/card-store.ts';
import type { CardNotice, Cards } from '../cards/acquirer.ts';
import { JsonRefused, parseJson } from '../json.ts';
import type { Delivery, Verifier } from './verifier.ts';

const QUIET_MS = 60_000;

/** Warns once a minute for each reason, with a count, so that a flood of webhooks does not fill the log. */
function quietWarnings(log: Log, now: () => number) {
  const warned = new Map<string, { at: number; since: number }>();
  return (reason: string, message: string, more: object = {}): void => {
    const at = now();
    const last = warned.get(reason);
    if (last !== undefined && at - last.at < QUIET_MS) {
      last.since += 1;
      return;
    }
    log.warn({ reason, ...more, unsaidBefore: last?.since ?? 0 }, message);
    warned.set(reason, { at, since: 0 });
  };
}

/** What cannot be kept as it was said: a sum is then nobody's, a status concludes nothing. */
const UNREADABLE = '?';

/** The event in a notification; undefined if it names no payment and no 3-D Secure session, or names one by an impossible id. */
function eventOf(
  notice: CardNotice,
): Pick<CardEvent, 'kind' | 'paymentId' | 'status' | 'amount' | 'currency'> | undefined {
  const { kind, paymentId = '', referenceId = '' } = notice;
  // Ids of payments and sessions may be all digits, so that some look like card numbers; without them nothing is followed.
  const status = kind === 'status' ? withoutCardNumber(notice.status ?? '') : referenceId;
  if (paymentId === '' && (kind === 'status' || status === '')) return undefined;
  const written = [paymentId, status].filter((text) => text !== '');
  if (!written.every(isToken)) return undefined;
  const { amount, currency } = notice;
  return {
    kind,
    paymentId,
    status,
    ...(amount !== undefined && { amount: kept(amount) }),
    ...(currency !== undefined && { currency: kept(currency) }),
  };
}

const kept = (text: string): string => (isToken(text) ? withoutCardNumber(text) : UNREADABLE);

const withoutCardNumber = (text: string): string => (holdsCardNumber(text) ? UNREADABLE : text);

/** An event as received in a webhook, with the payment that it claims to belong to. */
export type ReceivedEvent = CardEvent & { merchantRequestId: string | null };

const AT_ONCE = 16;
/** Beyond this, events are left to the worker, which delivers all that are still undelivered. */
const WAITING_MAX = 10_000;

/** Delivers stored events, a few at a time. What fails, or is left at `close`, stays in the store for the worker. */
export class EventQueue {
  readonly #deliver: (event: ReceivedEvent) => Promise<unknown>;
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();
  #waiting: ReceivedEvent[] = [];

  constructor(deliver: (event: ReceivedEvent) => Promise<unknown>, log: Log) {
    this.#deliver = deliver;
    this.#log = log;
  }

  add(event: ReceivedEvent): void {
    if (this.#waiting.length >= WAITING_MAX) return;
    this.#waiting.push(event);
    if (this.#running.size >= AT_ONCE) return;
    const running = this.#run().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async close(): Promise<void> {
    this.#waiting = [];
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      try {
        await this.#deliver(event);
      } catch (error) {
        this.#log.warn({ error, kind: event.kind }, 'card event not delivered yet');
      }
    }
  }
}

export interface ReceiverDeps {
  verifier: Verifier;
  cards: Pick<CardStore, 'receive' | 'ownerOfRequest' | 'ownerOfSession'>;
  noticeOf: Cards['noticeOf'];
  now: () => number;
  log: Log;
}

export type Receipt =
  /** Stored durably; to be delivered after the answer. */
  | { taken: 'new'; event: ReceivedEvent }
  /** Already stored, or about no payment: the sender need not repeat it. */
  | { taken: 'known' | 'meaningless' }
  | { refused: string };

export type TakeWebhook = (delivery: Omit<Delivery, 'now'>) => Promise<Receipt>;

/** Verifies, reads and stores, in this order. Rejects if the store fails: then nothing was taken. */
export function webhookReceiver({ verifier, cards, noticeOf, now, log }: ReceiverDeps): TakeWebhook {
  const warn = quietWarnings(log, now);
  return async (delivery) => {
    const at = now();
    const verdict = verifier.verify({ ...delivery, now: at });
    if ('refused' in verdict) {
      const { refused } = verdict;
      warn(refused, refused === 'unconfigured' ? UNCONFIGURED : 'webhook refused');
      return { refused };
    }
    const notice = noticeOf(jsonIn(delivery.body));
    const said = notice === undefined ? undefined : eventOf(notice);
    if (notice === undefined || said === undefined) {
      const receiptId = verdict.receiptId.slice(0, RECEIPT_SHOWN);
      warn(notice?.kind ?? 'unreadable', 'webhook without a payment', { receiptId });
      return { taken: 'meaningless' };
    }
    if (notice.unread === true) warn('unread', UNREAD);
    const event = {
      ...said,
      // A payment may have several challenges: their notifications are different events, a repeated notification is not.
      ...(said.kind === 'completion' && { status: `${said.status}#${verdict.receiptId}`.slice(-TEXT_MAX) }),
      trust: verdict.trust,
      receivedAt: at,
      merchantRequestId: await cardPaymentOf(cards, notice),
    };
    const taken = await cards.receive({ ...event, receiptId: verdict.receiptId });
    return taken === 'new' ? { taken, event } : { taken };
  };
}

/** Enough of it to find the webhook at the sender. */
const RECEIPT_SHOWN = 80;

/** Limit for a session id followed by the sender's message id; the end is kept, since it distinguishes messages. */
const TEXT_MAX = 256;

const UNCONFIGURED =
  'webhooks are refused: set PAYOUTS_WEBHOOK_SECRET, or PAYOUTS_WEBHOOK_SCHEME=ip and PAYOUTS_WEBHOOK_IPS';

const UNREAD =
  'the amount in a webhook cannot be read and was not compared: PAYOUTS_CARD_FIELDS says where it is (webhook.amount)';

/** Undefined if it is not JSON in UTF-8. */
function jsonIn(body: Buffer): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    if (error instanceof JsonRefused || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Found by the merchant_request_id of a request, or by the 3-D Secure session. By payment id, the store finds it itself. */
async function cardPaymentOf(
  cards: ReceiverDeps['cards'],
  { merchantRequestId = '', referenceId = '' }: CardNotice,
): Promise<string | null> {
  const owner = isToken(merchantRequestId) ? await cards.ownerOfRequest(merchantRequestId) : undefined;
  if (owner !== undefined || !isToken(referenceId)) return owner ?? null;
  return (await cards.ownerOfSession(referenceId)) ?? null;
}
