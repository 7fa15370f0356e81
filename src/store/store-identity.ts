import { randomUUID } from 'node:crypto';
import { audit } from './audit-log.ts';
import type { Database } from './engine/database.ts';
import { insertNew, inTransaction, met, metaValue, setMeta } from './engine/database.ts';
import type { IdentityAcceptance, StoreIdentity } from './store-errors.ts';
import { type IdentityPart, StoreIdentityError } from './store-errors.ts';

const PARTS = ['bank', 'accounts', 'cluster', 'namespace'] as const satisfies readonly IdentityPart[];
const KEY = 'key' satisfies IdentityPart;

/** The store's id, created by the process that opens the store first; others may be allowed only to read. */
export async function storeId(db: Database): Promise<string> {
  const known = await metaValue(db, 'store');
  if (known !== undefined) return known;
  const own = randomUUID();
  await insertNew(db, 'meta', { key: 'store', value: own });
  // Read back, as another process may have inserted its own id first.
  return (await metaValue(db, 'store')) ?? own;
}

/**
 * Records each part at first use; later throws `StoreIdentityError` naming the part that differs. Accounts differ if a recorded
 * one is not among those given; new ones are added. Known parts are compared first; then new ones are written, unless another
 * process did so meanwhile.
 */
export async function identify(db: Database, given: Partial<Omit<StoreIdentity, 'key'>>): Promise<void> {
  for (;;) {
    const recorded = await identity(db);
    assertSameIdentity(recorded, given);
    const accounts = [...new Set([...(recorded.accounts ?? []), ...(given.accounts ?? [])])];
    const grown = accounts.length > (recorded.accounts?.length ?? 0);
    const seen = grown ? { ...given, accounts } : { ...given, accounts: undefined };
    const missing = PARTS.filter((part) => recorded[part] === undefined && seen[part] !== undefined);
    const values = missing.map((key) => ({ key, value: asText(seen[key] ?? '') }));
    if (values.length > 0) await insertNew(db, 'meta', values);
    else if (!grown || (await addDigests(db, 'accounts', recorded.accounts ?? [], accounts))) return;
  }
}

/** The parts that are recorded. */
export async function identity(db: Database): Promise<Partial<StoreIdentity>> {
  const rows = await db
    .selectFrom('meta')
    .selectAll()
    .where('key', 'in', [...PARTS, KEY])
    .execute();
  const { accounts, key, ...texts } = Object.fromEntries(rows.map((row) => [row.key, row.value]));
  return {
    ...texts,
    ...(accounts === undefined ? {} : { accounts: JSON.parse(accounts) }),
    ...(key === undefined ? {} : { key: JSON.parse(key) }),
  };
}

/** Removes these parts, with an audit entry under the store's id. The next `identify` records them anew. */
export async function forgetIdentity(db: Database, { parts, by, at }: IdentityAcceptance): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const subject = (await metaValue(transaction, 'store')) ?? 'store';
    const recorded = await identity(transaction);
    await transaction.deleteFrom('meta').where('key', 'in', parts).execute();
    const detail = Object.fromEntries(parts.map((part) => [part, shown(part, recorded)]));
    await audit(transaction, { at, actor: by, action: 'forget-identity', subject, detail });
  });
}

/** Records the digest of the first API key; false if there is one already. */
export async function addFirstKey(db: Database, digest: string): Promise<boolean> {
  return (await insertNew(db, 'meta', { key: KEY, value: asText([digest]) })) > 0;
}

/** Adds the digest of an API key; idempotent. */
export async function addKey(db: Database, digest: string): Promise<void> {
  for (;;) {
    const { key } = await identity(db);
    if (key?.includes(digest)) return;
    if (key === undefined) await insertNew(db, 'meta', { key: KEY, value: asText([digest]) });
    else if (await addDigests(db, KEY, key, [...key, digest])) return;
  }
}

/** False if the record changed meanwhile. */
function addDigests(
  db: Database,
  part: 'accounts' | 'key',
  from: readonly string[],
  to: readonly string[],
): Promise<boolean> {
  const its = db.updateTable('meta').where('key', '=', part).where('value', '=', asText(from));
  return met(its.set({ value: asText(to) }));
}

/** Throws `StoreIdentityError` naming the first part that differs; a part missing on either side does not differ. */
export function assertSameIdentity(recorded: Partial<StoreIdentity>, given: Partial<StoreIdentity>): void {
  for (const part of PARTS) {
    if (recorded[part] !== undefined && given[part] !== undefined && !fits(part, recorded, given)) {
      throw new StoreIdentityError(part, shown(part, recorded), shown(part, given, recorded));
    }
  }
}

/** New accounts are fine, since a bank may open one at any time; the key of another customer misses known ones. */
function fits(part: (typeof PARTS)[number], recorded: Partial<StoreIdentity>, given: Partial<StoreIdentity>): boolean {
  return part === 'accounts' ? missingAccounts(recorded, given) === 0 : recorded[part] === given[part];
}

function missingAccounts(recorded: Partial<StoreIdentity>, given: Partial<StoreIdentity>): number {
  const seen = new Set(given.accounts);
  return (recorded.accounts ?? []).filter((digest) => !seen.has(digest)).length;
}

function shown(part: IdentityPart, of: Partial<StoreIdentity>, recorded?: Partial<StoreIdentity>): string {
  if (part === 'key') return `${of.key?.length ?? 0} API keys`;
  if (part !== 'accounts') return of[part] ?? '';
  const count = `${of.accounts?.length ?? 0} master accounts`;
  return recorded === undefined ? count : `one that does not see ${missingAccounts(recorded, of)} of them`;
}

const asText = (value: string | readonly string[]): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const POLICY = 'policy';

/** Hash of the policy that was recorded last; `none` where none has been. */
export async function policyInForce(db: Database): Promise<string> {
  return (await metaValue(db, POLICY)) ?? 'none';
}

/**
 * With an audit entry, when it is another one than was recorded last; returns whether. `hash` is that of `text`, or `none` where
 * no policy is set.
 */
export function recordPolicy(
  db: Database,
  { hash, text, by, at }: { hash: string; text?: string | undefined; by: string; at: number },
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const from = await policyInForce(transaction);
    if (from === hash) return false;
    await setMeta(transaction, POLICY, hash);
    const detail = { from, to: hash, ...(text !== undefined && { policy: text }) };
    await audit(transaction, { at, actor: by, action: 'policy in force', subject: 'policy', detail });
    return true;
  });
}
