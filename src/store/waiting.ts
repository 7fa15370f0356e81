import { sql } from 'kysely';
import type { Question, Scope } from '../domain/authority.ts';
import type { PayoutState } from '../domain/payout-state.ts';
import { chunks } from './engine/chunks.ts';
import type { Database } from './engine/database.ts';
import type { PayoutRecord } from './schema.ts';

/**
 * States in which payouts wait for people. The index has the same list: a query without exactly this condition does not use it.
 */
const WAITING = ['awaiting-approval', 'awaiting-bank-approval', 'held', 'needs-operator'] as const;

export type WaitingState = (typeof WAITING)[number];

export interface WaitingFor {
  states: readonly WaitingState[];
  scope: Scope;
  /** Maker whose payouts are left out, except those that need an operator: nobody decides their own. */
  notBy: string | undefined;
  limit: number;
}

const OPERATORS: PayoutState = 'needs-operator';

/** Hides a column from other indexes: SQLite would otherwise use that of lanes or documents and sort the result. */
const aside = (column: 'state' | 'uid' | 'accountId' | 'currency') => sql<string>`coalesce(${sql.ref(column)}, '')`;

/** References of payouts that wait for people of this scope, oldest first. Reads only the index. */
export async function waitingPayouts(
  db: Database,
  { states, scope: { uids, accounts, currencies }, notBy, limit }: WaitingFor,
): Promise<string[]> {
  if ([states, uids, accounts, currencies].some((list) => list?.length === 0)) return [];
  const rows = await db
    .selectFrom('payouts')
    .select('reference')
    .where(sql<boolean>`${aside('state')} in (${sql.join(WAITING.map((state) => sql.lit(state)))})`)
    .$if(states.length < WAITING.length, (query) => query.where(aside('state'), 'in', states))
    .$if(uids !== undefined, (query) => query.where(aside('uid'), 'in', uids ?? []))
    .$if(accounts !== undefined, (query) => query.where(aside('accountId'), 'in', accounts ?? []))
    .$if(currencies !== undefined, (query) => query.where(aside('currency'), 'in', currencies ?? []))
    .$if(notBy !== undefined, (query) =>
      query.where((row) => row.or([row('state', '=', OPERATORS), row('by', 'is', null), row('by', '!=', notBy ?? '')])),
    )
    .orderBy('createdAt')
    .orderBy('row')
    .orderBy('reference')
    .limit(limit)
    .execute();
  return rows.map(({ reference }) => reference);
}

export interface KeptApproval {
  reference: string;
  question: Question;
  digest: string;
  /** By a plan of its batch. */
  byPlan: boolean;
}

/**
 * Approvals of payouts by a person with credentials they still have, alone or by a plan. They are not verified: use them to hide
 * rows from a list, never to decide what counts.
 */
export async function decidedBy(
  db: Database,
  { subject, credentials, now }: { subject: string; credentials: readonly string[]; now: number },
  payouts: readonly Pick<PayoutRecord, 'reference' | 'batchId'>[],
): Promise<KeptApproval[]> {
  const found: KeptApproval[] = [];
  if (credentials.length === 0) return found;
  const mine = db
    .selectFrom('signedDecisions')
    .where('subject', '=', subject)
    .where('credential', 'in', credentials)
    .where('decision', '=', 'approve')
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now);
  for (const some of chunks(payouts)) {
    const references = some.map(({ reference }) => reference);
    const batches = [...new Set(some.flatMap(({ batchId }) => batchId ?? []))];
    const alone = mine.select(['reference', 'question', 'digest']).where('reference', 'in', references);
    for (const approval of await alone.execute()) found.push({ ...approval, byPlan: false });
    if (batches.length === 0) continue;
    const planned = mine
      .innerJoin('planRows', 'planRows.plan', 'signedDecisions.digest')
      .select(['planRows.reference', 'question', 'planRows.digest'])
      .where('signedDecisions.reference', 'in', batches)
      .where('planRows.reference', 'in', references);
    for (const approval of await planned.execute()) found.push({ ...approval, byPlan: true });
  }
  return found;
}
