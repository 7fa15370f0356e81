import { z } from 'zod';
import { isLoopback } from '../../domain/loopback.ts';
import { formatMinor } from '../../domain/money.ts';
import type { Books } from '../bank/books.ts';
import { draw } from '../draw.ts';
import { newId } from '../requests.ts';
import type { Database } from '../sandbox-database.ts';
import type { CardPaymentRow } from './payment-row.ts';

/** A webhook to send, or already sent. A duplicate of an event is another delivery with the same event id. */
export interface DeliveryRow {
  seq: bigint;
  event_id: string;
  payment_id: string;
  body: string;
  /** 1: signed with a key other than the endpoint's. */
  forged: bigint;
  status: 'pending' | 'delivered' | 'given-up' | 'dropped';
  attempts: bigint;
  last_http_status: bigint | null;
  created_at: bigint;
  /** Time of the next attempt; during an attempt: when it counts as lost. */
  due_at: bigint | null;
}

/** `due_at` null: never sent. */
export function insertDelivery(
  db: Database,
  row: Pick<DeliveryRow, 'event_id' | 'payment_id' | 'body'> & {
    forged: 0 | 1;
    created_at: number;
    due_at: number | null;
  },
): void {
  db.insert('webhook_deliveries', { ...row, status: row.due_at === null ? 'dropped' : 'pending', attempts: 0 });
}

/**
 * The due deliveries, with `due_at` set to `leaseUntil`: nobody else sends them before that, and if this sandbox is killed, they
 * are sent again after it.
 */
export function claimDue(db: Database, it: { now: number; leaseUntil: number; limit: number }): DeliveryRow[] {
  return db.all(
    `UPDATE webhook_deliveries SET due_at = :leaseUntil WHERE seq IN
       (SELECT seq FROM webhook_deliveries WHERE due_at <= :now ORDER BY due_at, seq LIMIT :limit) RETURNING *`,
    it,
  );
}

/** Records the result of an attempt; `httpStatus` null: there was no answer. */
export function noteAttempt(
  db: Database,
  it: { seq: bigint; status: DeliveryRow['status']; httpStatus: number | null; dueAt: number | null },
): void {
  db.run(
    `UPDATE webhook_deliveries SET attempts = attempts + 1, status = :status, last_http_status = :httpStatus,
       due_at = :dueAt WHERE seq = :seq`,
    it,
  );
}

/** For an attempt that we aborted, which does not count. */
export function returnDelivery(db: Database, seq: bigint, dueAt: number): void {
  db.run('UPDATE webhook_deliveries SET due_at = :dueAt WHERE seq = :seq', { seq, dueAt });
}

export const deliveriesAfter = (db: Database, seq: number): DeliveryRow[] =>
  db.all('SELECT * FROM webhook_deliveries WHERE seq > :seq ORDER BY seq LIMIT 1000', { seq });

export const countsOfDeliveries = (db: Database): Record<string, number> =>
  Object.fromEntries(
    db
      .all<{ status: string; n: bigint }>('SELECT status, COUNT(*) AS n FROM webhook_deliveries GROUP BY status')
      .map(({ status, n }) => [status, Number(n)]),
  );

/** Where and how webhooks are sent (`PUT /__sandbox/webhooks`, the "dashboard"). Stored in the database, like the deliveries. */
const share = z.number().min(0).max(1).default(0);

const SCHEMES = ['standard-webhooks', 'hmac-sha256', 'none'] as const;

export const endpointBody = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .refine((text) => isLoopback(URL.parse(text)?.hostname ?? ''), 'on this machine'),
  /** `whsec_` and base64: those bytes; otherwise the UTF-8 bytes of the text. */
  secret: z.string().min(1).max(512),
  scheme: z.enum(SCHEMES).default('standard-webhooks'),
  /** Share of events that are sent a second time with the same id. */
  duplicate: share,
  /** Share of deliveries that are held back, so that later ones overtake them. */
  reorder: share,
  /** Share of events that are never sent. */
  drop: share,
  /** With the same seed, the same events are treated alike. */
  seed: z.union([z.int(), z.string()]).default(0),
  /** Wait before the second attempt; doubled for each further one, minus a random part of up to half. */
  firstRetryMs: z.int().min(1).max(3_600_000).default(1_000),
  /** Number of attempts after the first. */
  retries: z.int().min(0).max(50).default(12),
});
export type Endpoint = z.infer<typeof endpointBody>;

export function saveEndpoint(db: Database, endpoint: Endpoint): void {
  db.run(
    `INSERT INTO webhook_endpoint (id, settings) VALUES (1, :settings)
     ON CONFLICT (id) DO UPDATE SET settings = excluded.settings`,
    { settings: JSON.stringify(endpoint) },
  );
}

export function endpointOf(db: Database): Endpoint | undefined {
  const row = db.one<{ settings: string }>('SELECT settings FROM webhook_endpoint');
  return row === undefined ? undefined : endpointBody.parse(JSON.parse(row.settings));
}

export function withoutSecret({ secret: _, ...shown }: Endpoint): Omit<Endpoint, 'secret'> {
  return shown;
}

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
