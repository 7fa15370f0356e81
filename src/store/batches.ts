import type { OriginalTransaction } from '../domain/bank-message.ts';
import { asLooseAs, type BatchControl, END_STATES } from '../domain/payout-state.ts';
import { audit } from './audit.ts';
import { chunksInTurns, pagedByRow, ROWS_PER_STATEMENT } from './chunks.ts';
import type { Database } from './database.ts';
import { json } from './json-columns.ts';
import { announce } from './outbox.ts';
import type { BatchRecord } from './schema.ts';
import { beginning } from './text-search.ts';
import { inTransaction } from './transaction.ts';

/** A row of a file that was not claimed, with why. */
export interface RefusedRow {
  row: number;
  line: number;
  /** Values as written; empty where they were not read whole, or came in a bank message. */
  instruction: Record<string, string>;
  original?: OriginalTransaction;
  /** Reference of the payout that took the row before. */
  reference?: string;
  findings: { column: string | null; rule: string; message: string }[];
}

export const batchRepository = {
  batch,
  batches,
  batchesBeginning,
  unendedBatches,
  batchOfMessage,
  refusedRows,
  controlBatch,
  endCanary,
  endBatch,
  reopenBatch,
};

async function batch(db: Database, batchId: string): Promise<BatchRecord | undefined> {
  return db.selectFrom('batches').selectAll().where('batchId', '=', batchId).executeTakeFirst();
}

/** Newest first; with `after` those behind that one. */
async function batches(
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

/** Batches whose id begins with this; newest first. */
async function batchesBeginning(db: Database, prefix: string, limit: number): Promise<BatchRecord[]> {
  return db
    .selectFrom('batches')
    .selectAll()
    .where(beginning('batchId', prefix), '=', prefix)
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .execute();
}

/** Oldest first. */
async function unendedBatches(db: Database): Promise<BatchRecord[]> {
  return db
    .selectFrom('batches')
    .selectAll()
    .where('endedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('batchId')
    .execute();
}

/** The latest batch that came as a bank message with this id. */
export async function batchOfMessage(db: Database, messageId: string): Promise<BatchRecord | undefined> {
  return db
    .selectFrom('batches')
    .selectAll()
    .where('messageId', '=', messageId)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function insertRefused(db: Database, batchId: string, refused: Iterable<RefusedRow>): Promise<void> {
  for await (const some of chunksInTurns(refused)) {
    await db
      .insertInto('refusedRows')
      .values(
        some.map(({ instruction, original, findings, ...row }) => ({
          ...row,
          batchId,
          instruction: json(instruction),
          original: json(original ?? null),
          findings: json(findings),
        })),
      )
      .execute();
  }
}

/** Rows of the file of a batch that were refused, in its order, read page by page. */
async function* refusedRows(db: Database, batchId: string): AsyncGenerator<RefusedRow> {
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

/** Who asks for a control, and when (epoch ms). `reason`: why a batch is paused by itself. */
export interface ControlAsked {
  batchId: string;
  control: BatchControl;
  by: string;
  at: number;
  reason?: string;
  /** Nothing is let go by it that the control in force holds back. */
  onlyTightens?: boolean;
}

/**
 * With an audit entry, whatever becomes of it. The control in force afterwards: a cancel is final, and whatever comes after it is
 * too late. A reason stays until the batch runs again, which then ends the canary as well.
 */
function controlBatch(db: Database, asked: ControlAsked): Promise<BatchControl> {
  const { batchId, control, by, at, reason } = asked;
  return inTransaction(db, async (transaction) => {
    const inForce = await setControl(transaction, asked);
    if (inForce === control && reason !== undefined) {
      await announce(transaction, { kind: 'batch.attention', subject: batchId, uid: null, at });
    }
    const detail = { inForce, ...(reason !== undefined && { reason }) };
    await audit(transaction, { at, actor: by, action: `batch ${control}`, subject: batchId, detail });
    return inForce;
  });
}

/** Without an entry: see `controlBatch`. */
async function setControl(
  db: Database,
  { batchId, control, reason, onlyTightens = false }: ControlAsked,
): Promise<BatchControl> {
  await db
    .updateTable('batches')
    .set({ control, controlReason: control === 'running' ? null : reason })
    .$if(control === 'running', (update) =>
      update.set(({ case: when, ref }) => ({
        canary: when().when('controlReason', 'is', null).then(ref('canary')).else(null).end(),
      })),
    )
    .where('batchId', '=', batchId)
    .where('control', '!=', 'cancelling')
    .$if(onlyTightens, (update) => update.where('control', 'in', asLooseAs(control)))
    .execute();
  const stored = await batch(db, batchId);
  return stored?.control ?? control;
}

/** All rows of a batch may be released from now on; with an audit entry. */
async function endCanary(db: Database, batchId: string, reason: string, at: number): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await transaction.updateTable('batches').set({ canary: null }).where('batchId', '=', batchId).execute();
    await audit(transaction, { at, actor: 'canary', action: 'canary over', subject: batchId, detail: { reason } });
  });
}

/** Every row of it has an end or was left to people; false while one is at work. */
async function endBatch(db: Database, batchId: string, endedAt: number): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const open = await transaction
      .selectFrom('payouts')
      .select('reference')
      .where('batchId', '=', batchId)
      .where('state', 'not in', [...END_STATES, 'needs-operator'])
      .executeTakeFirst();
    if (open !== undefined) return false;
    const { numUpdatedRows } = await transaction
      .updateTable('batches')
      .set({ endedAt })
      .where('batchId', '=', batchId)
      .where('endedAt', 'is', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 1n) {
      await announce(transaction, { kind: 'batch.ended', subject: batchId, uid: null, at: endedAt });
    }
    return true;
  });
}

/** A row of it may be at work again. */
async function reopenBatch(db: Database, batchId: string): Promise<void> {
  await db.updateTable('batches').set({ endedAt: null }).where('batchId', '=', batchId).execute();
}
