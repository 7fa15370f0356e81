import { sql } from 'kysely';
import { type PayeeFacts, RECENT_MS } from '../domain/payee.ts';
import { audit } from './audit-log.ts';
import { json } from './engine/column-dialect.ts';
import { type Database, holding, inChunks, inTransaction } from './engine/database.ts';
import { ownOrWithin, type PayoutSearch } from './payout-search.ts';
import type { KeptCheck, PayeePayment, SeenPayee } from './schema.ts';

interface PayeeKey {
  uid: string;
  /** Of the beneficiary. */
  payeeId: string;
}

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

/** A name as people see it: two names that share a skeleton look alike. */
export interface NameSeen {
  name: string;
  asShown: string;
  inSmall: string;
}

export interface PayeeAsked {
  uid: string;
  /** Beneficiary id; absent: the bank has none yet. */
  payeeId?: string;
  currency: string;
  name?: NameSeen;
  country?: string;
}

/** What the store knows about a payee, payees with similar names, and past payments. */
export interface PayeeHistory extends Omit<PayeeFacts, 'createdAt' | 'amount' | 'digest' | 'isOfAnotherUser'> {
  /** Digest when last seen; undefined: never seen. */
  digest: string | undefined;
}

/** As the bank last showed it; `name` is null if it shows none. */
type NamedPayee = Pick<SeenPayee, 'uid' | 'payeeId' | 'name' | 'items' | 'earlier'>;

type LastPayment = Pick<PayeePayment, 'digest' | 'amount' | 'currency'>;

/** Recent payments by which an amount is compared. */
const PAYMENTS = 20;

/** Stores the payee as the bank shows it now; different details mark it as changed. */
export async function notePayee(
  db: Database,
  {
    name,
    items,
    ...seen
  }: Omit<SeenPayee, 'name' | 'nameAsShown' | 'nameInSmall' | 'changedAt' | 'earlier'> & { name?: NameSeen },
): Promise<void> {
  const row = {
    ...seen,
    items: json(items),
    name: name?.name ?? null,
    nameAsShown: name?.asShown ?? null,
    nameInSmall: name?.inSmall ?? null,
  };
  const { uid: _, payeeId: __, seenAt, ...shown } = row;
  await db
    .insertInto('payees')
    .values({ ...row, changedAt: null, earlier: null })
    .onConflict((conflict) =>
      conflict
        .columns(['uid', 'payeeId'])
        // Two changes in a row are compared with what was there before both.
        .doUpdateSet(({ ref }) => ({
          ...shown,
          changedAt: seenAt,
          earlier: sql`case when ${ref('payees.changedAt')} > ${seenAt - RECENT_MS} and ${ref('payees.earlier')} is not null
            then ${ref('payees.earlier')} else ${ref('payees.items')} end`,
        }))
        .where('payees.digest', '!=', seen.digest),
    )
    .execute();
}

export async function payeeHistory(db: Database, asked: PayeeAsked): Promise<PayeeHistory> {
  const { currency } = asked;
  const [seen, payments, isLookAlike] = await Promise.all([
    seenPayee(db, asked),
    lastPayments(db, asked),
    hasLookAlike(db, asked),
  ]);
  // If this payee was paid in this country before, the country is not new.
  const isKnownThere = payments.length > 0 && seen?.country === asked.country;
  return {
    digest: seen?.digest,
    changedAt: seen?.changedAt ?? null,
    paidDigest: payments[0]?.digest,
    paid: payments.filter((payment) => payment.currency === currency).map(({ amount }) => amount),
    isLookAlike,
    isFirstToCountry: !isKnownThere && (await isFirstTo(db, asked)),
  };
}

/** As the bank last showed it; undefined: never seen. */
export async function seenPayee(
  db: Database,
  { uid, payeeId }: Pick<PayeeAsked, 'uid' | 'payeeId'>,
): Promise<SeenPayee | undefined> {
  if (payeeId === undefined) return undefined;
  return db.selectFrom('payees').selectAll().where('uid', '=', uid).where('payeeId', '=', payeeId).executeTakeFirst();
}

/** Those of these payees that the bank has shown. */
export async function payeesOf(db: Database, asked: readonly PayeeKey[]): Promise<NamedPayee[]> {
  const wanted = new Map(asked.map((payee) => [keyOf(payee), payee]));
  const query = db.selectFrom('payees').select(['uid', 'payeeId', 'name', 'items', 'earlier']);
  const found = await inChunks(wanted.values(), (some) => {
    const [uids, payeeIds] = [new Set(some.map(({ uid }) => uid)), some.map(({ payeeId }) => payeeId)];
    return query
      .where('uid', 'in', [...uids])
      .where('payeeId', 'in', payeeIds)
      .execute();
  });
  return found.filter((row) => wanted.has(keyOf(row)));
}

const keyOf = ({ uid, payeeId }: PayeeKey): string => JSON.stringify([uid, payeeId]);

/** Which payees are listed; all conditions must hold. */
export interface PayeeSearch {
  uid?: string;
  /** Part of the name or the id, ignoring case. */
  text?: string;
  /** Only those paid by somebody's own payouts, or by payouts within a scope; absent: all. */
  seenBy?: PayoutSearch['seenBy'];
}

const seenPayees = (db: Database, { uid, text, seenBy }: PayeeSearch) =>
  db
    .selectFrom('payees')
    .$if(uid !== undefined, (query) => query.where('payees.uid', '=', uid ?? ''))
    .$if(text !== undefined, (query) =>
      query.where((row) => row.or([holding('payees.name', text), holding('payees.payee_id', text)])),
    )
    .$if(seenBy !== undefined, (query) =>
      query.where((row) =>
        row.exists(
          row
            .selectFrom('payeePayments')
            .select('payeePayments.reference')
            .whereRef('payeePayments.uid', '=', 'payees.uid')
            .whereRef('payeePayments.payeeId', '=', 'payees.payeeId')
            .where((payment) =>
              payment.exists(
                db
                  .selectFrom('payouts')
                  .select('payouts.reference')
                  .whereRef('payouts.reference', '=', payment.ref('payeePayments.reference'))
                  .where((paid) => ownOrWithin(paid, seenBy)),
              ),
            ),
        ),
      ),
    );

/** Payees as the bank last showed them, by name, at most `limit` behind the first `offset`. */
export async function payeeList(
  db: Database,
  search: PayeeSearch,
  { offset, limit }: { offset: number; limit: number },
): Promise<SeenPayee[]> {
  return seenPayees(db, search)
    .selectAll('payees')
    .orderBy((row) => row.fn.coalesce('payees.name', row.val('')))
    .orderBy('payees.uid')
    .orderBy('payees.payeeId')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Newest first, at most `limit`. */
export async function paymentsTo(db: Database, { uid, payeeId }: PayeeKey, limit: number): Promise<PayeePayment[]> {
  return db
    .selectFrom('payeePayments')
    .selectAll()
    .where('uid', '=', uid)
    .where('payeeId', '=', payeeId)
    .orderBy('paidAt', 'desc')
    .orderBy('reference')
    .limit(limit)
    .execute();
}

/** Newest first. */
async function lastPayments(db: Database, { uid, payeeId }: PayeeAsked): Promise<LastPayment[]> {
  if (payeeId === undefined) return [];
  return db
    .selectFrom('payeePayments')
    .select(['digest', 'amount', 'currency'])
    .where('uid', '=', uid)
    .where('payeeId', '=', payeeId)
    .orderBy('paidAt', 'desc')
    .limit(PAYMENTS)
    .execute();
}

/** One query per spelling: for a combined one SQLite would read every payee of the user. */
async function hasLookAlike(db: Database, { uid, payeeId, name }: PayeeAsked): Promise<boolean> {
  if (name === undefined) return false;
  const spelledAlike = (column: 'nameAsShown' | 'nameInSmall') =>
    db
      .selectFrom('payees')
      .select('payeeId')
      .where('uid', '=', uid)
      .where(column, 'in', [name.asShown, name.inSmall])
      .where('name', '!=', name.name)
      .$if(payeeId !== undefined, (query) => query.where('payeeId', '!=', payeeId ?? ''));
  const either = spelledAlike('nameAsShown').unionAll(spelledAlike('nameInSmall'));
  return (await either.limit(1).executeTakeFirst()) !== undefined;
}

async function isFirstTo(db: Database, { uid, country }: PayeeAsked): Promise<boolean> {
  if (country === undefined) return false;
  const paid = await db
    .selectFrom('payees')
    .select('payeeId')
    .where('uid', '=', uid)
    .where('country', '=', country)
    .where((row) =>
      row.exists(
        row
          .selectFrom('payeePayments')
          .select('reference')
          .whereRef('payeePayments.uid', '=', 'payees.uid')
          .whereRef('payeePayments.payeeId', '=', 'payees.payeeId'),
      ),
    )
    .limit(1)
    .executeTakeFirst();
  return paid === undefined;
}
