import type { Database } from '../database.ts';

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
