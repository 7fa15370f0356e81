import { sql } from 'kysely';
import { ACCOUNT_HOLDS, type ReasonCode } from '../domain/reasons.ts';
import type { IncidentKind } from '../domain/reconciliation.ts';
import type { Database } from './schema.ts';
import type { UserAccount } from './store.ts';

/**
 * Accounts whose next rows are not released: one that the bank refuses its user, or one with `waitingMax` rows short of
 * money. By user: a row that names the account of another one stops nobody else.
 */
export async function pausedAccounts(db: Database, waitingMax: number): Promise<UserAccount[]> {
  const held = db
    .selectFrom('payouts')
    .select(['uid', 'account_id'])
    .where('state', '=', 'held')
    .where('reason_code', 'in', ACCOUNT_HOLDS)
    .where('account_id', 'is not', null);
  const short = db
    .selectFrom('payouts')
    .select(['uid', 'account_id'])
    .where('state', '=', 'awaiting-funds')
    .where('account_id', 'is not', null)
    .groupBy(['uid', 'account_id'])
    .having(({ fn }) => fn.countAll(), '>=', waitingMax);
  const rows = await held.union(short).execute();
  return rows.flatMap(({ uid, account_id: accountId }) => (accountId === null ? [] : { uid, accountId }));
}

/** What rows that come before this one need on the same account, while they wait for money: decimals, in no order. */
export async function fundsNeededAhead(db: Database, reference: string): Promise<string[]> {
  const self = await db
    .selectFrom('payouts')
    .select(['account_id', 'priority', 'created_at', 'row', 'reference'])
    .where('reference', '=', reference)
    .executeTakeFirst();
  if (self === undefined || self.account_id === null) return [];
  const rows = await db
    .selectFrom('payouts')
    .select(['reference', 'priority', 'created_at', 'row', 'funds_needed'])
    .where('state', '=', 'awaiting-funds')
    .where('account_id', '=', self.account_id)
    .where('priority', '<=', self.priority)
    .execute();
  return rows.filter((row) => comesBefore(row, self)).flatMap(({ funds_needed }) => funds_needed ?? []);
}

/**
 * Whether the bank has shown more than one order under a reference of this user: now with an operator, or after its end
 * and nobody has acknowledged it.
 */
export async function hasSuspectedDuplicate(db: Database, uid: string): Promise<boolean> {
  // Literals, not parameters: only then are the indexes of such rows used.
  const row = await db
    .selectFrom('payouts')
    .select('reference')
    .where('uid', '=', uid)
    .where('reason_code', '=', sql.lit<ReasonCode>('duplicate-suspected'))
    .where('state', '=', 'needs-operator')
    .executeTakeFirst();
  if (row !== undefined) return true;
  const incident = await db
    .selectFrom('incidents')
    .select('incident_id')
    .where('uid', '=', uid)
    .where('kind', '=', sql.lit<IncidentKind>('second-order'))
    .where('acknowledged_at', 'is', null)
    .executeTakeFirst();
  return incident !== undefined;
}

type Place = { priority: number; created_at: number; row: number | null; reference: string };

/** By priority, then in the order in which payouts were handed over: by claim, then by row of the file. */
function comesBefore(a: Place, b: Place): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  if (a.created_at !== b.created_at) return a.created_at < b.created_at;
  if (a.row !== b.row) return (a.row ?? 0) < (b.row ?? 0);
  return a.reference < b.reference;
}
