import { setImmediate } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import { type PayoutInstruction, priorityRank } from '../domain/instruction.ts';
import { END_STATES, type PayoutState } from '../domain/payout-state.ts';
import { attempts } from './attempts.ts';
import { chunks } from './chunks.ts';
import { batchOfMessage, lookAlikes } from './guards.ts';
import { payoutRecord } from './records.ts';
import { insertRefused } from './refused-rows.ts';
import type { BatchTable, Database, PayoutTable } from './schema.ts';
import type { BatchClaim, ClaimOutcome, ClaimRow, KnownClaim, PayoutClaim, PayoutRecord, Store } from './store.ts';
import { inTransaction } from './transaction.ts';

type PayoutClaimRequest = Parameters<Store['claimPayout']>[0];

export function claimBatch(db: Database, claim: BatchClaim): Promise<ClaimOutcome> {
  return inTransaction(db, async (transaction) => {
    const known = await knownClaims(transaction, claim.rows);
    if (known.length > 0) return { claimed: false, known };
    const changed = await changedSince(transaction, claim);
    if (changed !== undefined) return { claimed: false, known: [], changed };
    const { batchId } = claim;
    await transaction.insertInto('batches').values(batchOf(claim)).execute();
    let total = 0;
    for (const some of chunks(claim.rows)) {
      await transaction
        .insertInto('payouts')
        .values(some.map((row) => batchRow(claim, row)))
        .execute();
      total += some.length;
      // A large file takes seconds: heartbeats and other work of this process go on in between.
      await setImmediate();
    }
    await insertRefused(transaction, claim);
    await transaction.updateTable('batches').set({ total }).where('batch_id', '=', batchId).execute();
    return { claimed: true };
  });
}

/** What was claimed between the plan and the claim that the plan does not know of. */
async function changedSince(
  db: Database,
  { message, messageIsNew, lookAlikesSince, rows }: BatchClaim,
): Promise<'message-taken' | 'look-alike' | undefined> {
  if (messageIsNew && message !== undefined && (await batchOfMessage(db, message.messageId)) !== undefined) {
    return 'message-taken';
  }
  if (lookAlikesSince === undefined) return undefined;
  for (const some of chunks(rows)) {
    const keys = [...new Set(some.flatMap(({ lookAlikeKey }) => lookAlikeKey ?? []))];
    const marked = new Set(some.flatMap(({ lookAlikeKey, lookAlikeOf }) => (lookAlikeOf ? (lookAlikeKey ?? []) : [])));
    const found = await lookAlikes(db, keys, lookAlikesSince);
    if (found.some(({ lookAlikeKey }) => !marked.has(lookAlikeKey))) return 'look-alike';
  }
  return undefined;
}

function batchOf({ batchId, file, sha256, by, message, retryOf, canary, at }: BatchClaim): Insertable<BatchTable> {
  return {
    batch_id: batchId,
    file,
    sha256,
    by,
    control: 'running',
    total: 0,
    message: message === undefined ? null : JSON.stringify(message),
    message_id: message?.messageId,
    retry_of: retryOf,
    canary,
    created_at: at,
  };
}

function batchRow({ batchId, by, at }: BatchClaim, row: ClaimRow): Insertable<PayoutTable> {
  return {
    ...identified(row),
    generation: row.generation ?? 0,
    original: row.original === undefined ? null : JSON.stringify(row.original),
    look_alike_key: row.lookAlikeKey,
    look_alike_of: row.lookAlikeOf,
    batch_id: batchId,
    row: row.row,
    by,
    state: 'received',
    created_at: at,
    updated_at: at,
  };
}

type Identified = Pick<ClaimRow, 'reference' | 'workflowId' | 'payloadDigest'> & { instruction: PayoutInstruction };

function identified({ reference, workflowId, payloadDigest, instruction }: Identified) {
  return {
    reference,
    workflow_id: workflowId,
    uid: instruction.uid,
    document_id: instruction.id,
    instruction: JSON.stringify(instruction),
    payload_digest: payloadDigest,
    amount: instruction.amount,
    currency: instruction.currency,
    account_id: instruction.account_id,
    beneficiary_id: instruction.beneficiary_id,
    priority: priorityRank(instruction.priority),
  };
}

/** By the document and not by the reference: as another kind it has another one, and is taken all the same. */
export async function knownClaims(db: Database, rows: Iterable<ClaimRow>): Promise<KnownClaim[]> {
  const known: KnownClaim[] = [];
  for (const some of chunks(rows)) {
    const found = await db
      .selectFrom('payouts')
      .select(['reference', 'kind', 'uid', 'document_id', 'generation', 'batch_id', 'payload_digest', 'instruction'])
      .where(
        'uid',
        'in',
        some.map(({ instruction }) => instruction.uid),
      )
      .where(
        'document_id',
        'in',
        some.map(({ instruction }) => instruction.id),
      )
      .execute();
    const byDocument = new Map(found.map((payout) => [documentKey(payout), payout]));
    for (const { row, instruction, generation = 0, payloadDigest, reference } of some) {
      const payout = byDocument.get(documentKey({ uid: instruction.uid, document_id: instruction.id, generation }));
      if (payout === undefined) continue;
      known.push({
        row,
        kind: payout.kind,
        reference: payout.reference,
        batchId: payout.batch_id,
        samePayload: payout.reference === reference && payout.payload_digest === payloadDigest,
        instruction: JSON.parse(payout.instruction) as PayoutInstruction,
      });
    }
  }
  return known.sort((a, b) => a.row - b.row);
}

const documentKey = (key: { uid: string; document_id: string; generation: number }): string =>
  JSON.stringify([key.uid, key.document_id, key.generation]);

/** Each step is one atomic statement and no row is ever deleted, so that together they need no transaction. */
export async function claimPayout(db: Database, claim: PayoutClaimRequest): Promise<PayoutClaim> {
  const record = (await insertClaimed(db, claim)) ?? (await takeOver(db, claim)) ?? (await claimed(db, claim));
  const sent = await attempts(db, [claim.reference, ...claim.derivedReferences]);
  return {
    record,
    isTakenOver: record.term > 1,
    samePayload: record.reference === claim.reference && record.payloadDigest === claim.payloadDigest,
    attempts: sent,
  };
}

async function insertClaimed(db: Database, claim: PayoutClaimRequest): Promise<PayoutRecord | undefined> {
  const row = await db
    .insertInto('payouts')
    .values({
      ...identified(claim),
      kind: claim.kind,
      generation: claim.generation,
      by: claim.by,
      state: 'preparing',
      claim_run_id: claim.runId,
      term: 1,
      released_at: claim.at,
      created_at: claim.at,
      updated_at: claim.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : payoutRecord(row);
}

/**
 * The newest run that asks is right: Temporal has one open run for an id. A row whose payload differs keeps its claim, which
 * belongs to the payout it was made for; so does one that has an end.
 */
async function takeOver(db: Database, claim: PayoutClaimRequest): Promise<PayoutRecord | undefined> {
  const row = await db
    .updateTable('payouts')
    .set(({ fn, val, ref, lit, case: when, eb }) => ({
      claim_run_id: claim.runId,
      term: when()
        .when('claim_run_id', '=', claim.runId)
        .then(ref('term'))
        .else(eb(ref('term'), '+', lit(1)))
        .end(),
      state: when()
        .when('state', 'in', ['received', 'scheduled'])
        .then<PayoutState>('preparing')
        .else(ref('state'))
        .end(),
      // Its day has come.
      reason: when().when('state', '=', 'scheduled').then(null).else(ref('reason')).end(),
      reason_code: when().when('state', '=', 'scheduled').then(null).else(ref('reason_code')).end(),
      // A row that runs is released, even if whoever started it died before saying so: a cancelled batch must not end it.
      released_at: fn.coalesce('released_at', val(claim.at)),
      updated_at: claim.at,
    }))
    .where('reference', '=', claim.reference)
    .where('payload_digest', '=', claim.payloadDigest)
    .where('state', 'not in', END_STATES)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : payoutRecord(row);
}

/** Whoever has the document: under this reference, or as another kind under another one. */
async function claimed(db: Database, { instruction, generation }: PayoutClaimRequest): Promise<PayoutRecord> {
  return payoutRecord(
    await db
      .selectFrom('payouts')
      .selectAll()
      .where('uid', '=', instruction.uid)
      .where('document_id', '=', instruction.id)
      .where('generation', '=', generation)
      .executeTakeFirstOrThrow(),
  );
}
