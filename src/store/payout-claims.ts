import type { PayoutKind } from '../domain/names.ts';
import { END_STATES, type PayoutState, type Reason } from '../domain/payout-state.ts';
import { attemptsOf } from './attempts.ts';
import { audit } from './audit-log.ts';
import { type Identified, identified, type Written } from './claims.ts';
import type { Database } from './engine/database.ts';
import { inShortTransaction, LOCKS, write } from './engine/groups.ts';
import type { JsonText } from './engine/json-columns.ts';
import { askedDetail } from './money-detail.ts';
import type { HeldClaim } from './payout-changes.ts';
import type { PayoutRecord, SendAttempt, WrittenLater } from './schema.ts';

export interface PayoutClaimRequest extends Identified {
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
    const { by, reference: subject, payloadDigest: digest, at } = claim;
    const detail = { digest, ...askedDetail(row) };
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
