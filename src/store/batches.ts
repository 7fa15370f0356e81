import type { Selectable } from 'kysely';
import type { OriginalTransaction } from '../domain/bank-message.ts';
import { type BatchControl, controlsAtLeastAsPermissive, END_STATES } from '../domain/payout-state.ts';
import { audit } from './audit.ts';
import { pagedByRow, ROWS_PER_STATEMENT } from './engine/chunks.ts';
import type { Database } from './engine/database.ts';
import { met } from './engine/row-writes.ts';
import { beginning } from './engine/text-search.ts';
import { inTransaction } from './engine/transaction.ts';
import { announce } from './outbox.ts';
import type { BatchRecord, RefusedRowTable } from './schema.ts';

export type RefusedRow = Pick<Selectable<RefusedRowTable>, 'row' | 'line' | 'instruction' | 'findings'> & {
  original?: OriginalTransaction;
  reference?: string;
};

export async function batch(db: Database, batchId: string): Promise<BatchRecord | undefined> {
  return db.selectFrom('batches').selectAll().where('batchId', '=', batchId).executeTakeFirst();
}

/** Newest first, after the batch `after` if given. */
export async function batches(
  db: Database,
  limit: number,
  after?: Pick<BatchRecord, 'createdAt' | 'batchId'>,
): Promise<BatchRecord[]> {
  return db
    .selectFrom('batches')
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where((row) =>
        row(row.refTuple('createdAt', 'batchId'), '<', row.tuple(after?.createdAt ?? 0, after?.batchId ?? '')),
      ),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('batchId', 'desc')
    .limit(limit)
    .execute();
}

/** Batches whose id begins with `prefix`, newest first. */
export async function batchesBeginning(db: Database, prefix: string, limit: number): Promise<BatchRecord[]> {
  return db
    .selectFrom('batches')
    .selectAll()
    .where(beginning('batchId', prefix), '=', prefix)
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .execute();
}

/** Oldest first. */
export async function unendedBatches(db: Database): Promise<BatchRecord[]> {
  return db
    .selectFrom('batches')
    .selectAll()
    .where('endedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('batchId')
    .execute();
}

/** The latest batch received as a bank message with this id. */
export async function batchOfMessage(db: Database, messageId: string): Promise<BatchRecord | undefined> {
  return db
    .selectFrom('batches')
    .selectAll()
    .where('messageId', '=', messageId)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Refused rows of a batch, in file order, read page by page. */
export async function* refusedRows(db: Database, batchId: string): AsyncGenerator<RefusedRow> {
  const kept = pagedByRow((after) =>
    db
      .selectFrom('refusedRows')
      .selectAll()
      .where('batchId', '=', batchId)
      .where('row', '>', after)
      .orderBy('row')
      .limit(ROWS_PER_STATEMENT)
      .execute(),
  );
  for await (const { batchId: _, original, reference, ...row } of kept) {
    yield { ...row, ...(original && { original }), ...(reference !== null && { reference }) };
  }
}

/** A request to change the control, at epoch ms. `reason`: why the batch pauses itself. */
export interface ControlAsked {
  batchId: string;
  control: BatchControl;
  by: string;
  at: number;
  reason?: string;
  /** Only tighten: never release what the current control holds back. */
  onlyTightens?: boolean;
}

/**
 * Sets the control, with an audit entry in any case, and returns the one in force: a cancel is final, later requests are too
 * late. A reason stays until the batch runs again, which then also ends the canary.
 */
export function controlBatch(
  db: Database,
  { batchId, control, by, at, reason, onlyTightens = false }: ControlAsked,
): Promise<BatchControl> {
  return inTransaction(db, async (transaction) => {
    await transaction
      .updateTable('batches')
      .set({ control, controlReason: control === 'running' ? null : reason })
      .$if(control === 'running', (update) =>
        update.set(({ case: when, ref }) => ({
          canary: when().when('controlReason', 'is', null).then(ref('canary')).else(null).end(),
        })),
      )
      .where('batchId', '=', batchId)
      .where('control', '!=', 'cancelling')
      .$if(onlyTightens, (update) => update.where('control', 'in', controlsAtLeastAsPermissive(control)))
      .execute();
    const inForce = (await batch(transaction, batchId))?.control ?? control;
    if (inForce === control && reason !== undefined) {
      await announce(transaction, { kind: 'batch.attention', subject: batchId, uid: null, at });
    }
    const detail = { inForce, ...(reason !== undefined && { reason }) };
    await audit(transaction, { at, actor: by, action: `batch ${control}`, subject: batchId, detail });
    return inForce;
  });
}

/** Ends the canary, so that all rows may be released; with an audit entry. */
export async function endCanary(db: Database, batchId: string, reason: string, at: number): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await transaction.updateTable('batches').set({ canary: null }).where('batchId', '=', batchId).execute();
    await audit(transaction, { at, actor: 'canary', action: 'canary over', subject: batchId, detail: { reason } });
  });
}

/** Ends the batch if every row has an end or is with an operator; false otherwise. */
export async function endBatch(db: Database, batchId: string, endedAt: number): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const open = await transaction
      .selectFrom('payouts')
      .select('reference')
      .where('batchId', '=', batchId)
      .where('state', 'not in', [...END_STATES, 'needs-operator'])
      .executeTakeFirst();
    if (open !== undefined) return false;
    const its = transaction.updateTable('batches').where('batchId', '=', batchId);
    if (await met(its.set({ endedAt }).where('endedAt', 'is', null))) {
      await announce(transaction, { kind: 'batch.ended', subject: batchId, uid: null, at: endedAt });
    }
    return true;
  });
}

/** Reopens a batch of which a row may be in progress again. */
export async function reopenBatch(db: Database, batchId: string): Promise<void> {
  await db.updateTable('batches').set({ endedAt: null }).where('batchId', '=', batchId).execute();
}
