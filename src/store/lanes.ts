import { sql } from 'kysely';
import { ACCOUNT_HOLDS, type ReasonCode } from '../domain/reasons.ts';
import type { IncidentKind } from '../domain/reconciliation.ts';
import type { Database } from './database.ts';

/** An account as a user names it: the bank may refuse it to one and not to another. */
export interface UserAccount {
  uid: string;
  accountId: string;
}

export const laneRepository = { pausedAccounts, fundsNeededAhead, hasSuspectedDuplicate };

/**
 * Accounts whose next rows are not released: one that the bank refuses its user, or one with `waitingMax` rows short of
 * money. By user: a row that names the account of another one stops nobody else.
 */
async function pausedAccounts(db: Database, waitingMax: number): Promise<UserAccount[]> {
  const held = db
    .selectFrom('payouts')
    .select(['uid', 'accountId'])
    .where('state', '=', 'held')
    .where('reasonCode', 'in', ACCOUNT_HOLDS)
    .where('accountId', 'is not', null);
  const short = db
    .selectFrom('payouts')
    .select(['uid', 'accountId'])
    .where('state', '=', 'awaiting-funds')
    .where('accountId', 'is not', null)
    .groupBy(['uid', 'accountId'])
    .having(({ fn }) => fn.countAll(), '>=', waitingMax);
  return held.union(short).$narrowType<{ accountId: string }>().execute();
}

/** What rows that come before this one need on the same account, while they wait for money: decimals, in no order. */
async function fundsNeededAhead(db: Database, reference: string): Promise<string[]> {
  const self = await db
    .selectFrom('payouts')
    .select(['accountId', 'priority', 'createdAt', 'row', 'reference'])
    .where('reference', '=', reference)
    .executeTakeFirst();
  if (self === undefined || self.accountId === null) return [];
  const rows = await db
    .selectFrom('payouts')
    .select(['reference', 'priority', 'createdAt', 'row', 'fundsNeeded'])
    .where('state', '=', 'awaiting-funds')
    .where('accountId', '=', self.accountId)
    .where('priority', '<=', self.priority)
    .execute();
  return rows.filter((row) => comesBefore(row, self)).flatMap(({ fundsNeeded }) => fundsNeeded ?? []);
}

/**
 * Whether the bank has shown more than one order under a reference of this user: now with an operator, or after its end
 * and nobody has acknowledged it.
 */
async function hasSuspectedDuplicate(db: Database, uid: string): Promise<boolean> {
  // Literals, not parameters: only then are the indexes of such rows used.
  const row = await db
    .selectFrom('payouts')
    .select('reference')
    .where('uid', '=', uid)
    .where('reasonCode', '=', sql.lit<ReasonCode>('duplicate-suspected'))
    .where('state', '=', 'needs-operator')
    .executeTakeFirst();
  if (row !== undefined) return true;
  const incident = await db
    .selectFrom('incidents')
    .select('incidentId')
    .where('uid', '=', uid)
    .where('kind', '=', sql.lit<IncidentKind>('second-order'))
    .where('acknowledgedAt', 'is', null)
    .executeTakeFirst();
  return incident !== undefined;
}

type Place = { priority: number; createdAt: number; row: number | null; reference: string };

/** By priority, then in the order in which payouts were handed over: by claim, then by row of the file. */
function comesBefore(a: Place, b: Place): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt;
  if (a.row !== b.row) return (a.row ?? 0) < (b.row ?? 0);
  return a.reference < b.reference;
}
