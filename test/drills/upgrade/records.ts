import { DatabaseSync } from 'node:sqlite';

/** What is on record of a payout from its claim on. */
export interface Claimed {
  reference: string;
  /** All that may never change, as one text. */
  terms: string;
}

/** Of a batch, or of every payout. */
export const claimedIn = (storeUrl: string, batchId?: string): Claimed[] =>
  rowsOf(
    storeUrl,
    `select reference, json_array(uid, document_id, kind, generation, batch_id, "row", workflow_id, amount, currency, account_id,
       instruction, payload_digest, created_at) as terms from payouts where ?1 is null or batch_id = ?1`,
    batchId ?? null,
  );

/** Read while workers write: SQLite lets a reader see one moment. */
export function rowsOf<Row>(storeUrl: string, statement: string, ...values: (string | null)[]): Row[] {
  const database = new DatabaseSync(storeUrl.slice('file:'.length), { readOnly: true, timeout: 30_000 });
  try {
    return database.prepare(statement).all(...values) as Row[];
  } finally {
    database.close();
  }
}
