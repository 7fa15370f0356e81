import type { Log } from '../../domain/log.ts';
import { isToken } from '../../domain/token.ts';
import type { CardStore } from '../../store/card-store.ts';
import type { CardNotice, Cards } from '../cards/cards.ts';
import { JsonRefused, parseJson } from '../json.ts';
import { eventOf } from './event.ts';
import type { ReceivedEvent } from './event-queue.ts';
import { quietWarnings } from './quiet-log.ts';
import type { Delivery } from './scheme.ts';
import type { Verifier } from './verifier.ts';

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
