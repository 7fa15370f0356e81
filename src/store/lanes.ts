import { sql } from 'kysely';
import { ACCOUNT_HOLDS, type ReasonCode } from '../domain/reasons.ts';
import type { IncidentKind } from '../domain/reconciliation.ts';
import type { Database } from './engine/database.ts';

/** An account as used by one user; the bank may refuse it to one user and not to another. */
export interface UserAccount {
  uid: string;
  accountId: string;
}

/**
 * Accounts whose next rows are not released: those that the bank refuses to the user, and those with `waitingMax` rows awaiting
 * funds. By user, so that a row naming somebody else's account stops only its own user.
 */
export async function pausedAccounts(db: Database, waitingMax: number): Promise<UserAccount[]> {
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

/** Amounts (decimal strings, unordered) needed on the same account by rows that await funds and come before this one. */
export async function fundsNeededAhead(db: Database, reference: string): Promise<string[]> {
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
 * Whether the bank has shown more than one order under a reference of this user, and it is either with an operator now or an
 * incident that nobody has acknowledged.
 */
export async function hasSuspectedDuplicate(db: Database, uid: string): Promise<boolean> {
  // Literals instead of parameters, or the partial indexes are not used.
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

/** By priority, then by claim time, then by row of the file. */
function comesBefore(a: Place, b: Place): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt;
  if (a.row !== b.row) return (a.row ?? 0) < (b.row ?? 0);
  return a.reference < b.reference;
}
