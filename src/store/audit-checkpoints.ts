import type { Database } from './database.ts';
import { json } from './json-columns.ts';
import type { CheckpointRecord } from './schema.ts';

export const checkpointRepository = {
  auditVerifier,
  recordAuditVerifier,
  lastCheckpoint,
  checkpoints,
  recordCheckpoint,
  waitingCheckpoints,
  markLeft,
};

const VERIFIER = 'audit_verifier';

/** The verifier key of whoever signed first; undefined: nobody has. */
async function auditVerifier(db: Database): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', VERIFIER).executeTakeFirst();
  return row?.value;
}

/** The one that counts from now on: of two at once the other one's may be. */
async function recordAuditVerifier(db: Database, verifier: string): Promise<string> {
  await db
    .insertInto('meta')
    .values({ key: VERIFIER, value: verifier })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  return (await auditVerifier(db)) ?? verifier;
}

async function lastCheckpoint(db: Database): Promise<CheckpointRecord | undefined> {
  return db.selectFrom('auditCheckpoints').selectAll().orderBy('size', 'desc').limit(1).executeTakeFirst();
}

const PAGE = 1_000;

/** By size, page by page. */
async function* checkpoints(db: Database): AsyncGenerator<CheckpointRecord> {
  for (let after = -1; ; ) {
    const page: CheckpointRecord[] = await db
      .selectFrom('auditCheckpoints')
      .selectAll()
      .where('size', '>', after)
      .orderBy('size')
      .limit(PAGE)
      .execute();
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.size;
  }
}

/** Of one size the first one stays: a tree that only grows has one root for each. */
async function recordCheckpoint(db: Database, { edge, ...signed }: Omit<CheckpointRecord, Left>): Promise<void> {
  await db
    .insertInto('auditCheckpoints')
    .values({ ...signed, edge: json(edge), copiedAt: null, mailedAt: null })
    .onConflict((conflict) => conflict.column('size').doNothing())
    .execute();
}

/** In which way a checkpoint has left the machine. */
type Left = 'copiedAt' | 'mailedAt';

/** Those that have not left in this way, by size, the first few. */
async function waitingCheckpoints(db: Database, way: Left): Promise<CheckpointRecord[]> {
  return db.selectFrom('auditCheckpoints').selectAll().where(way, 'is', null).orderBy('size').limit(PAGE).execute();
}

/** Of those that had not, the ones up to this size have. */
async function markLeft(db: Database, way: Left, upTo: number, at: number): Promise<void> {
  await db
    .updateTable('auditCheckpoints')
    .set({ [way]: at })
    .where(way, 'is', null)
    .where('size', '<=', upTo)
    .execute();
}
