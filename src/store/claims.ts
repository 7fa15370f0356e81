import type { Insertable } from 'kysely';
import type { OriginalMessage, OriginalTransaction } from '../domain/bank-message.ts';
import { madeDigest } from '../domain/identity.ts';
import { type PayoutInstruction, priorityRank } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import { lookAlikeKeys, payeeName } from '../domain/payee.ts';
import { END_STATES, type PayoutState, type Reason, UNPAID_STATES } from '../domain/payout-state.ts';
import { attemptsOf } from './attempts.ts';
import { type AuditEntry, ClaimedRows } from './audit/entry.ts';
import { audit } from './audit-log.ts';
import { batchOfMessage, type RefusedRow } from './batches.ts';
import { type JsonText, json } from './engine/column-dialect.ts';
import {
  chunksInTurns,
  type Database,
  inTransaction,
  pagedByRow,
  ROWS_PER_STATEMENT,
  setMeta,
} from './engine/database.ts';
import { inShortTransaction, LOCKS, write } from './engine/groups.ts';
import { askedDetail } from './money-detail.ts';
import type { HeldClaim } from './payouts.ts';
import type { PayoutRecord, SendAttempt, Tables, WrittenLater } from './schema.ts';

export interface ClaimRow {
  /** Data row from 1; 0 for an exchange of the batch. */
  row: number;
  /** Absent: a payout. */
  kind?: PayoutKind;
  reference: string;
  workflowId: string;
  instruction: PayoutInstruction;
  payloadDigest: string;
  /** From 0 (default); above 0 only if the earlier generation took no money. */
  generation?: number;
  original?: OriginalTransaction;
  lookAlikeKey?: string;
  /** `lookAlikeKey` by the bank's account of the payee, if the row names the payee by id. */
  lookAlikeAccount?: string;
  lookAlikeOf?: string;
}

export interface BatchClaim {
  batchId: string;
  file: string;
  sha256: string;
  by: string | null;
  /** Iterated more than once. */
  rows: Iterable<ClaimRow>;
  /** What buys for rows that name it: rows of the batch too, without a number, released before all others. */
  exchanges?: readonly ClaimRow[];
  /** Rows that broke a rule: stored for the answer, never paid. */
  refused?: Iterable<RefusedRow>;
  message?: OriginalMessage;
  retryOf?: string;
  /** Fail if the message id was used before. */
  messageIsNew?: boolean;
  /** Fail if a payout claimed since then (epoch ms) looks like a row that is not marked as a look-alike. */
  lookAlikesSince?: number;
  /** How many first rows, in release order, must be completed before the others are released. */
  canary?: number;
  /** Epoch ms before which no row is started; absent: at once. */
  heldUntil?: number | undefined;
  /** W3C Trace Context of the request that brings it. */
  traceparent?: string | undefined;
  at: number;
}

/** An earlier payout with the same payee, amount and currency that is not proven unpaid. */
export interface LookAlike {
  /** The common key. */
  key: string;
  reference: string;
  createdAt: number;
}

/** A document that is already claimed: by which batch, as which kind, and with the same payload or not. */
export interface KnownClaim {
  row: number;
  kind: PayoutKind;
  reference: string;
  batchId: string | null;
  samePayload: boolean;
  /** The claimed instruction. */
  instruction: PayoutInstruction;
}

export type ClaimOutcome =
  | { claimed: true }
  | { claimed: false; known: KnownClaim[] }
  /** No row is claimed, but the plan no longer holds. */
  | { claimed: false; known: []; changed: 'message-taken' | 'look-alike' };

/**
 * Claims all rows in one transaction: either all are new and inserted as `received`, or nothing is written and the known ones are
 * returned. Unique are the reference and (uid, documentId, generation). Of concurrent claims one wins and the others learn what
 * it took. Throws if the claim names a document or a row twice, or the id of a batch with other rows.
 */
export function claimBatch(db: Database, claim: BatchClaim): Promise<ClaimOutcome> {
  return inTransaction(db, async (transaction) => {
    await oneAtATime(transaction);
    const known = [
      ...(await knownClaims(transaction, claim.rows)),
      ...(await knownClaims(transaction, claim.exchanges ?? [])),
    ];
    if (known.length > 0) return { claimed: false, known };
    const changed = await changedSince(transaction, claim);
    if (changed !== undefined) return { claimed: false, known: [], changed };
    const { batchId } = claim;
    await transaction.insertInto('batches').values(batchOf(claim)).execute();
    let total = 0;
    for await (const some of chunksInTurns(claim.rows)) {
      await transaction
        .insertInto('payouts')
        .values(some.map((row) => batchRow(claim, row)))
        .execute();
      total += some.length;
    }
    for (const exchange of claim.exchanges ?? []) await insertExchange(transaction, claim, exchange);
    await insertRefused(transaction, claim.batchId, claim.refused ?? []);
    await transaction.updateTable('batches').set({ total }).where('batchId', '=', batchId).execute();
    await audit(transaction, claimEntry(claim, total, await rootOf(transaction, batchId)));
    return { claimed: true };
  });
}

/** With an entry of its own: the entry of the batch covers the rows of the file. */
async function insertExchange(db: Database, claim: BatchClaim, exchange: ClaimRow): Promise<void> {
  const { by, at } = claim;
  const row = await db.insertInto('payouts').values(batchRow(claim, exchange)).returningAll().executeTakeFirstOrThrow();
  const detail = { digest: madeDigest(row.instruction), ...askedDetail(row) };
  await audit(db, { at, actor: by ?? 'unknown', action: 'payout claimed', subject: row.reference, detail });
}

/** Over the rows in the order of the file, in any order of the claims. */
async function rootOf(db: Database, batchId: string): Promise<string> {
  const query = db.selectFrom('payouts').select(['row', 'reference', 'instruction']).where('batchId', '=', batchId);
  const claimed = new ClaimedRows();
  const read = (after: number) => query.where('row', '>', after).orderBy('row').limit(ROWS_PER_STATEMENT).execute();
  for await (const row of pagedByRow(read)) claimed.add(row.reference, madeDigest(row.instruction));
  return claimed.root();
}

/**
 * Makes concurrent claims wait for each other. What two files may share (a message id, a payee and an amount) has no unique key,
 * and PostgreSQL would let both read before either is written.
 */
const oneAtATime = (db: Database): Promise<void> => setMeta(db, 'claiming', '');

/** Who handed in the file (by digest), or asked for a batch to be paid again, and what its rows ask. */
const claimEntry = ({ batchId, sha256, by, retryOf, at }: BatchClaim, total: number, root: string): AuditEntry => ({
  at,
  actor: by ?? 'unknown',
  action: retryOf === undefined ? 'batch claimed' : 'batch retried',
  subject: batchId,
  detail: { sha256, rows: `${total}`, root, ...(retryOf !== undefined && { retryOf }) },
});

/** Claims made since the plan that it does not know of. */
async function changedSince(
  db: Database,
  { message, messageIsNew, lookAlikesSince, rows }: BatchClaim,
): Promise<'message-taken' | 'look-alike' | undefined> {
  if (messageIsNew && message !== undefined && (await batchOfMessage(db, message.messageId)) !== undefined) {
    return 'message-taken';
  }
  if (lookAlikesSince === undefined) return undefined;
  for await (const some of chunksInTurns(rows)) {
    const found = await lookAlikes(db, some.flatMap(lookAlikeKeys), lookAlikesSince);
    const marked = new Set(some.filter(({ lookAlikeOf }) => lookAlikeOf !== undefined).flatMap(lookAlikeKeys));
    if (found.some(({ key }) => !marked.has(key))) return 'look-alike';
  }
  return undefined;
}

async function insertRefused(db: Database, batchId: string, refused: Iterable<RefusedRow>): Promise<void> {
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

/** Columns of a new row: one that is neither written nor listed as `Later` does not compile. */
type Written<Table extends keyof Tables, Later extends keyof Tables[Table]> = {
  [Column in Exclude<keyof Tables[Table], Later>]: Column extends keyof Insertable<Tables[Table]>
    ? Insertable<Tables[Table]>[Column]
    : never;
};

const batchOf = (claim: BatchClaim): Written<'batches', 'controlReason' | 'endedAt' | 'erasedAt'> => ({
  batchId: claim.batchId,
  file: claim.file,
  sha256: claim.sha256,
  by: claim.by,
  control: 'running',
  total: 0,
  message: json(claim.message ?? null),
  messageId: claim.message?.messageId,
  retryOf: claim.retryOf,
  // What buys for the first rows is one of them.
  canary: claim.canary === undefined ? undefined : claim.canary + (claim.exchanges?.length ?? 0),
  heldUntil: claim.heldUntil,
  traceparent: claim.traceparent,
  createdAt: claim.at,
});

function batchRow({ batchId, by, at }: BatchClaim, row: ClaimRow): Written<'payouts', WrittenLater> {
  const { kind = 'payout' } = row;
  const isOfFile = kind === 'payout';
  return {
    ...identified(row),
    ...(!isOfFile && { priority: FIRST }),
    kind,
    generation: row.generation ?? 0,
    original: json(row.original ?? null),
    lookAlikeKey: row.lookAlikeKey,
    lookAlikeAccount: row.lookAlikeAccount,
    lookAlikeOf: row.lookAlikeOf,
    batchId,
    row: isOfFile ? row.row : null,
    by,
    state: 'received',
    createdAt: at,
    updatedAt: at,
    stateSince: at,
  };
}

/** Before rows of any priority. */
const FIRST = -1;

type Identified = Pick<ClaimRow, 'reference' | 'workflowId' | 'payloadDigest' | 'instruction'>;

/** Columns that identify a row, and those of its instruction that are searched. */
function identified({ reference, workflowId, payloadDigest, instruction }: Identified) {
  return {
    reference,
    workflowId,
    uid: instruction.uid,
    documentId: instruction.id,
    instruction: json(instruction),
    payloadDigest,
    amount: instruction.amount,
    currency: instruction.currency,
    accountId: instruction.account_id,
    beneficiaryId: instruction.beneficiary_id,
    payee: payeeName(instruction),
    priority: priorityRank(instruction.priority),
  };
}

/**
 * Existing claims among these rows, in row order. Found by document, not by reference: a claim as another kind has another
 * reference and counts too.
 */
export async function knownClaims(db: Database, rows: Iterable<ClaimRow>): Promise<KnownClaim[]> {
  const known: KnownClaim[] = [];
  for await (const some of chunksInTurns(rows)) {
    const [uids, ids] = [some.map(({ instruction }) => instruction.uid), some.map(({ instruction }) => instruction.id)];
    const found = await db
      .selectFrom('payouts')
      .select(['reference', 'kind', 'uid', 'documentId', 'generation', 'batchId', 'payloadDigest', 'instruction'])
      .where('uid', 'in', uids)
      .where('documentId', 'in', ids)
      .execute();
    const byDocument = new Map(found.map((payout) => [documentKey(payout), payout]));
    for (const { row, instruction, generation = 0, payloadDigest, reference } of some) {
      const payout = byDocument.get(documentKey({ uid: instruction.uid, documentId: instruction.id, generation }));
      if (payout === undefined) continue;
      known.push({
        row,
        kind: payout.kind,
        reference: payout.reference,
        batchId: payout.batchId,
        samePayload: payout.reference === reference && payout.payloadDigest === payloadDigest,
        instruction: payout.instruction,
      });
    }
  }
  return known.sort((a, b) => a.row - b.row);
}

const documentKey = (key: { uid: string; documentId: string; generation: number }): string =>
  JSON.stringify([key.uid, key.documentId, key.generation]);

/** Latest payout under each key claimed since (epoch ms), unless proven unpaid. */
export async function lookAlikes(db: Database, keys: readonly string[], since: number): Promise<LookAlike[]> {
  const wanted = [...new Set(keys)];
  if (wanted.length === 0) return [];
  // One query per column, so that each uses its index.
  const by = (column: 'lookAlikeKey' | 'lookAlikeAccount') =>
    db
      .selectFrom('payouts')
      .select([`${column} as key`, 'reference', 'createdAt'])
      .where(column, 'in', wanted)
      .where('createdAt', '>=', since)
      .where('state', 'not in', UNPAID_STATES)
      .$narrowType<{ key: string }>()
      .execute();
  const rows = [...(await by('lookAlikeKey')), ...(await by('lookAlikeAccount'))];
  return [...new Map(rows.sort((a, b) => a.createdAt - b.createdAt).map((row) => [row.key, row])).values()];
}

interface PayoutClaimRequest extends Identified {
  generation: number;
  /** Absent: a payout. */
  kind?: PayoutKind;
  by: string | null;
  runId: string;
  /** Lowest term of the claim, so that nobody holds it under an earlier one; absent: 1. */
  term?: number;
  /** Derived references whose attempts are returned as well. */
  derivedReferences: readonly string[];
  at: number;
}

export interface PayoutClaim {
  record: PayoutRecord;
  /** Whether an earlier run held the claim (reset, restarted, retention over). */
  isTakenOver: boolean;
  /** False if the document is claimed with another payload or as another kind (`id-reused`). */
  samePayload: boolean;
  /** Attempts under this reference and the derived ones, oldest first. */
  attempts: SendAttempt[];
}

/**
 * Takes the claim of one payout for `runId` (state `received` becomes `preparing`). Inserts the row if no batch has. Takes it
 * over from another run under the next term if the payload is the same and the row has no end. Sets `releasedAt` if the batch did
 * not get to it. Each step is atomic and no row is ever deleted, so no transaction is needed around them.
 */
export async function claimPayout(db: Database, claim: PayoutClaimRequest): Promise<PayoutClaim> {
  const takenOver = () => write(db, LOCKS.itsRows, (into) => takeOver(into, claim));
  const taken = (await takenOver()) ?? (await insertWithEntry(db, claim)) ?? (await takenOver());
  const record = taken ?? (await claimed(db, claim));
  const sent = await attemptsOf(db, [claim.reference, ...claim.derivedReferences]);
  return {
    record,
    isTakenOver: record.term > 1,
    samePayload: record.reference === claim.reference && record.payloadDigest === claim.payloadDigest,
    attempts: sent,
  };
}

/** Undefined if the row is there. */
function insertWithEntry(db: Database, claim: PayoutClaimRequest): Promise<PayoutRecord | undefined> {
  return inShortTransaction(db, LOCKS.logs, async (transaction) => {
    const row = await insertClaimed(transaction, claim);
    if (row === undefined) return undefined;
    const { by, reference: subject, at } = claim;
    const detail = { digest: madeDigest(row.instruction), ...askedDetail(row) };
    await audit(transaction, { at, actor: by ?? 'unknown', action: 'payout claimed', subject, detail });
    return row;
  });
}

type OfRun = 'claimRunId' | 'term' | 'releasedAt';
type OfFile = 'batchId' | 'row' | 'original' | 'lookAlikeKey' | 'lookAlikeAccount' | 'lookAlikeOf';
type WrittenByRun = Written<'payouts', Exclude<WrittenLater, OfRun> | OfFile>;

async function insertClaimed(db: Database, claim: PayoutClaimRequest): Promise<PayoutRecord | undefined> {
  const row: WrittenByRun = {
    ...identified(claim),
    kind: claim.kind,
    generation: claim.generation,
    by: claim.by,
    state: 'preparing',
    claimRunId: claim.runId,
    term: claim.term ?? 1,
    releasedAt: claim.at,
    createdAt: claim.at,
    updatedAt: claim.at,
    stateSince: claim.at,
  };
  return db
    .insertInto('payouts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/**
 * The newest run wins, as Temporal keeps one open run per id. A row with another payload keeps its claim, which belongs to the
 * payout it was made for; so does a row with an end.
 */
async function takeOver(db: Database, claim: PayoutClaimRequest): Promise<PayoutRecord | undefined> {
  const { term = 1 } = claim;
  return db
    .updateTable('payouts')
    .set(({ fn, val, ref, lit, case: when, eb }) => ({
      claimRunId: claim.runId,
      term: when()
        .when(eb('claimRunId', '=', claim.runId).and('term', '>=', term))
        .then(ref('term'))
        .when(eb('term', '>=', term))
        .then(eb(ref('term'), '+', lit(1)))
        .else(lit(term))
        .end(),
      state: when()
        .when('state', 'in', ['received', 'scheduled'])
        .then<PayoutState>('preparing')
        .else(ref('state'))
        .end(),
      // Its due date has come.
      reason: when()
        .when('state', '=', 'scheduled')
        .then(null)
        .else(ref('reason').$castTo<JsonText<Reason> | null>())
        .end(),
      reasonCode: when().when('state', '=', 'scheduled').then(null).else(ref('reasonCode')).end(),
      // A running row counts as released even if its starter died before recording that: a cancelled batch must not end it.
      releasedAt: fn.coalesce('releasedAt', val(claim.at)),
      updatedAt: claim.at,
      stateSince: when().when('state', 'in', ['received', 'scheduled']).then(claim.at).else(ref('stateSince')).end(),
    }))
    .where('reference', '=', claim.reference)
    .where('payloadDigest', '=', claim.payloadDigest)
    .where('state', 'not in', END_STATES)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Moves the claim to the next term for the run that holds it; undefined if it does not. Idempotent: repeated after a lost answer,
 * it returns the same term.
 */
export async function renewClaim(
  db: Database,
  { reference, term, runId, at }: HeldClaim & { runId: string; at: number },
): Promise<number | undefined> {
  const renewed = await db
    .updateTable('payouts')
    .set({ term: term + 1, updatedAt: at })
    .where('reference', '=', reference)
    .where('claimRunId', '=', runId)
    .where('term', 'in', [term, term + 1])
    .where('state', 'not in', END_STATES)
    .returning('term')
    .executeTakeFirst();
  return renewed?.term;
}

/** The row that holds the document, under this reference or, as another kind, under another one. */
async function claimed(db: Database, { instruction, generation }: PayoutClaimRequest): Promise<PayoutRecord> {
  return db
    .selectFrom('payouts')
    .selectAll()
    .where('uid', '=', instruction.uid)
    .where('documentId', '=', instruction.id)
    .where('generation', '=', generation)
    .executeTakeFirstOrThrow();
}
