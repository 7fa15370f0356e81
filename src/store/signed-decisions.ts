import type { Question, SignedDecision } from '../domain/authority.ts';
import { audit } from './audit.ts';
import type { Database } from './database.ts';
import { inTransaction } from './transaction.ts';

export const signedDecisionRepository = { takeSignedDecision, signedDecisionsOf, useSignedDecision };

/** With an audit entry. False for an id that was taken before: a decision counts once. */
function takeSignedDecision(db: Database, signed: SignedDecision, at: number): Promise<boolean> {
  const { id, subject, question, decision, reference, digest, remark, credential } = signed;
  return inTransaction(db, async (transaction) => {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('signedDecisions')
      .values({ ...signed, takenAt: at, usedAt: null })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows !== 1n) return false;
    const detail = { decisionId: id, question, digest, credential, ...(remark !== '' && { remark }) };
    await audit(transaction, { at, actor: subject, action: `${decision}, signed`, subject: reference, detail });
    return true;
  });
}

/** What people have signed about one question, in the order in which it came. */
async function signedDecisionsOf(
  db: Database,
  { reference, question, digest }: { reference: string; question: Question; digest: string },
): Promise<SignedDecision[]> {
  return db
    .selectFrom('signedDecisions')
    .select([
      'id',
      'storeId',
      'question',
      'decision',
      'reference',
      'digest',
      'subject',
      'remark',
      'signedAt',
      'expiresAt',
      'credential',
      'signature',
    ])
    .where('reference', '=', reference)
    .where('question', '=', question)
    .where('digest', '=', digest)
    .where('usedAt', 'is', null)
    .orderBy('takenAt')
    .orderBy('id')
    .execute();
}

/** False when it was used before. */
async function useSignedDecision(db: Database, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('signedDecisions')
    .set({ usedAt: at })
    .where('id', '=', id)
    .where('usedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}
