import { formatMinor } from '../../domain/money.ts';
import type { Books } from '../bank/books.ts';
import { draw } from '../draw.ts';
import { newId } from '../requests.ts';
import { insertDelivery } from './deliveries.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import type { CardPaymentRow } from './payment-row.ts';

/** Body of a webhook: our default, since the interface shows none (section 6). */
interface CardEventData {
  payment_id: string;
  payment_status?: string | undefined;
  merchant_request_id?: string | undefined;
  reference_id?: string | undefined;
  amount?: string | undefined;
  currency?: string | undefined;
}

export const EVENT_TYPES = {
  SUCCEEDED: 'payment.succeeded',
  FAILED: 'payment.failed',
  completion: 'three_ds.completed',
} as const;

/** `reorder` holds deliveries back for at most this long. */
const HOLD_MS = 1_500;
const DUPLICATE_WITHIN_MS = 1_000;
/** How long after the first end the contradicting one is sent. */
export const CONTRADICTION_MS = 300;

/** Another `status` than the payment's contradicts it. */
export function announceEnd(
  books: Books,
  row: CardPaymentRow,
  status: 'SUCCEEDED' | 'FAILED' = row.status === 'FAILED' ? 'FAILED' : 'SUCCEEDED',
  inMs = 0,
): void {
  const { payment_id, merchant_request_id, currency } = row;
  const amount = formatMinor(row.amount, currency);
  const data = { payment_id, payment_status: status, merchant_request_id, amount, currency };
  announce(books, EVENT_TYPES[status], data, inMs);
}

export function announceCompletion(books: Books, row: CardPaymentRow): void {
  const { payment_id, merchant_request_id, reference_id } = row;
  announce(books, EVENT_TYPES.completion, {
    payment_id,
    merchant_request_id,
    ...(reference_id === null ? {} : { reference_id }),
  });
}

/** Stores the deliveries of an event as the endpoint's settings demand; without an endpoint, nothing is sent. */
function announce(books: Books, type: string, data: CardEventData, inMs = 0): void {
  const endpoint = endpointOf(books.db);
  if (endpoint === undefined) return;
  const at = books.now();
  const { payment_id } = data;
  const body = bodyOf(type, at, data);
  const event = { event_id: newId('evt'), payment_id, body, forged: 0, created_at: at } as const;
  const ask = (question: string) => draw(endpoint.seed, type, data.merchant_request_id ?? payment_id, question);
  if (ask('drop') < endpoint.drop) {
    insertDelivery(books.db, { ...event, due_at: null });
    return;
  }
  insertDelivery(books.db, { ...event, due_at: at + inMs + heldBack(endpoint, ask) });
  if (ask('duplicate') < endpoint.duplicate) {
    insertDelivery(books.db, { ...event, due_at: at + inMs + Math.floor(ask('again in') * DUPLICATE_WITHIN_MS) });
  }
}

const heldBack = ({ reorder }: Endpoint, ask: (question: string) => number): number =>
  ask('reorder') < reorder ? Math.ceil(ask('held back') * HOLD_MS) : 0;

/** `at`: epoch milliseconds. */
export const bodyOf = (type: string, at: number, data: CardEventData): string =>
  JSON.stringify({ type, timestamp: at, data });
