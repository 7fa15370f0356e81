import { audit } from './audit.ts';
import type { KeptCheck } from './decision-schema.ts';
import type { Database } from './engine/database.ts';
import { inTransaction } from './engine/transaction.ts';

const ACTIONS: Readonly<Record<KeptCheck['kind'], string>> = {
  verification: 'had the payee verified',
  screening: 'had the payee screened',
};

type CheckKey = Pick<KeptCheck, 'uid' | 'kind' | 'provider' | 'payee'>;

/** A provider's last verdict on exactly these details. */
export async function payeeCheck(
  db: Database,
  { uid, kind, provider, payee }: CheckKey,
): Promise<KeptCheck | undefined> {
  return db
    .selectFrom('payeeChecks')
    .selectAll()
    .where('uid', '=', uid)
    .where('kind', '=', kind)
    .where('provider', '=', provider)
    .where('payee', '=', payee)
    .executeTakeFirst();
}

/** Replaces the previous verdict. A changed verdict is audited under the payout that it was asked for. */
export function notePayeeCheck(db: Database, check: KeptCheck, reference: string): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const before = await payeeCheck(transaction, check);
    const { uid: _uid, payee: _payee, kind, provider, verdict, askedAt: at, ...rest } = check;
    await transaction
      .insertInto('payeeChecks')
      .values(check)
      .onConflict((conflict) =>
        conflict.columns(['uid', 'kind', 'provider', 'payee']).doUpdateSet({ verdict, askedAt: at, ...rest }),
      )
      .execute();
    if (before?.verdict === verdict && before.caseId === check.caseId) return;
    const detail = { verdict, provider };
    await audit(transaction, { at, actor: 'product', action: ACTIONS[kind], subject: reference, detail });
  });
}
