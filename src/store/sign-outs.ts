import type { SignIn, SignOut } from '../domain/sign-in.ts';
import { DAY_MS } from '../domain/time.ts';
import { type Database, insertNew, inTransaction } from './engine/database.ts';

/** Longer than any session lasts, and any notice counts. */
const KEPT_MS = 2 * DAY_MS;

/** Records that sign-ins have ended at the provider, for all gateways; false if this notice has come before. */
export function recordSignOut(db: Database, signOut: SignOut, at: number): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    await transaction
      .deleteFrom('signOuts')
      .where('at', '<', at - KEPT_MS)
      .execute();
    return (await insertNew(transaction, 'signOuts', { ...signOut, at })) === 1;
  });
}

/** Those that may have ended a sign-in. */
export function signOutsOf(db: Database, { subject, sid }: SignIn): Promise<SignOut[]> {
  return db
    .selectFrom('signOuts')
    .select(['id', 'subject', 'sid', 'issuedAt'])
    .where((is) => is.or([is('subject', '=', subject), ...(sid === null ? [] : [is('sid', '=', sid)])]))
    .execute();
}
