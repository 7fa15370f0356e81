import type { AccountBalance } from '../../bank/schemas/accounts.ts';
import { formatMinor, parseAmount } from '../../domain/money.ts';
import { badRequest, Refusal } from '../requests.ts';
import type { Database } from '../sandbox-database.ts';

/** With larger amounts, sums could exceed 64 bits. The interface shows no minimum or maximum (section 8). */
const MINOR_MAX = 10n ** 15n;

/** The requested amount in minor units. Throws 2002. */
export function readAmount(text: string, currency: string): bigint {
  const amount = parseAmount(text, currency);
  if (!amount.ok) throw badRequest(`amount: ${amount.rule}`);
  if (amount.minor > MINOR_MAX) throw badRequest('amount: too-large');
  return amount.minor;
}

/** Owner of the institution's own accounts (interface section 4, "Master account assets"). */
export const MASTER_UID = 'master';

export type AccountKind = 'customer' | 'world' | 'fees' | 'exchange';

export interface AccountRow {
  account_id: string;
  uid: string;
  currency: string;
  kind: AccountKind;
  /** Available balance in minor units. */
  available: bigint;
  /** Amount frozen for open orders, in minor units. */
  frozen: bigint;
  /** 1: the account is frozen (code 2007). */
  blocked: bigint;
  updated_at: bigint;
}

/** Throws 2006. */
export function requireAccount(db: Database, accountId: string): AccountRow {
  const sql = `SELECT * FROM accounts WHERE account_id = :accountId AND kind = 'customer'`;
  const account = db.one<AccountRow>(sql, { accountId });
  if (account === undefined) throw new Refusal(2006);
  return account;
}

/** An account that can take part in an order. Throws 2006 and 2007. */
export function requireUsableAccount(db: Database, accountId: string): AccountRow {
  const account = requireAccount(db, accountId);
  if (account.blocked === 1n) throw new Refusal(2007);
  return account;
}

/** Throws 2006 if the user has no account: the interface has no code for unknown users. */
export function balancesOfUser(db: Database, uid: string): AccountBalance[] {
  const sql = `SELECT * FROM accounts WHERE uid = :uid AND kind = 'customer' ORDER BY account_id`;
  const accounts = db.all<AccountRow>(sql, { uid });
  if (accounts.length === 0) throw new Refusal(2006);
  return accounts.map(toBalance);
}

export function toBalance(account: AccountRow): AccountBalance {
  return {
    updated_at: Number(account.updated_at),
    uid: account.uid,
    account_id: account.account_id,
    currency: account.currency,
    balance: formatMinor(account.available, account.currency),
    frozen: formatMinor(account.frozen, account.currency),
  };
}

/** Opens an empty account. Throws 2003 if the id is taken. */
export function openAccount(
  db: Database,
  { accountId, at, ...account }: { accountId: string; uid: string; currency: string; kind: AccountKind; at: number },
): void {
  if (db.one('SELECT 1 FROM accounts WHERE account_id = :accountId', { accountId })) throw new Refusal(2003);
  db.insert('accounts', { account_id: accountId, updated_at: at, ...account });
}
