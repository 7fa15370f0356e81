import { formatMinor } from '../../domain/money.ts';
import { Refusal } from '../requests.ts';
import type { Database } from '../sandbox-database.ts';
import { type AccountKind, type AccountRow, openAccount } from './account-book.ts';

/** One side of a journal entry in minor units; positive amounts increase that part of the account. */
export interface Posting {
  accountId: string;
  part: 'available' | 'frozen';
  amount: bigint;
}

interface JournalEntry {
  at: number;
  kind: 'deposit' | 'order';
  orderId: string | null;
  postings: readonly Posting[];
}

/**
 * Writes a double-entry journal entry and updates balances, inside the caller's transaction. Throws 2010 if a part of a
 * customer's account would become negative; an entry that does not sum to zero per currency is a bug and throws.
 */
export function post(db: Database, entry: JournalEntry): void {
  const postings = netPostings(entry.postings);
  if (postings.length === 0) return;
  const sums = new Map<string, bigint>();
  const { at, kind, orderId } = entry;
  const { lastId } = db.insert('journal', { at, kind, order_id: orderId });
  for (const posting of postings) {
    const account = move(db, posting, at);
    sums.set(account.currency, (sums.get(account.currency) ?? 0n) + posting.amount);
    db.run('INSERT INTO postings VALUES (:entryId, :accountId, :part, :amount)', { entryId: lastId, ...posting });
  }
  if ([...sums.values()].some((sum) => sum !== 0n)) throw new Error('a journal entry does not sum to zero');
}

/** Merges postings to the same part of the same account, and drops zeros. */
function netPostings(postings: readonly Posting[]): Posting[] {
  const net = new Map<string, Posting>();
  for (const posting of postings) {
    const key = `${posting.part} ${posting.accountId}`;
    net.set(key, { ...posting, amount: posting.amount + (net.get(key)?.amount ?? 0n) });
  }
  return [...net.values()].filter(({ amount }) => amount !== 0n);
}

function move(db: Database, { accountId, part, amount }: Posting, at: number): AccountRow {
  const account = db.one<AccountRow>('SELECT * FROM accounts WHERE account_id = :accountId', { accountId });
  if (account === undefined) throw new Error('a posting names an account that does not exist');
  const balance = account[part] + amount;
  if (balance < 0n && account.kind === 'customer') throw new Refusal(2010);
  const sql = `UPDATE accounts SET ${part} = :balance, updated_at = :at WHERE account_id = :accountId`;
  db.run(sql, { balance, at, accountId });
  return account;
}

/**
 * The bank's own account of a kind and currency, opened at first use: `world` is everything outside the bank, `fees` its fee
 * income, `exchange` its position in a currency. World and exchange may be negative.
 */
export function internalAccount(
  db: Database,
  kind: Exclude<AccountKind, 'customer'>,
  currency: string,
  at: number,
): string {
  const accountId = `bank-${kind}-${currency.toLowerCase()}`;
  const known = db.one('SELECT 1 FROM accounts WHERE account_id = :accountId', { accountId });
  if (known === undefined) openAccount(db, { accountId, uid: 'bank', currency, kind, at });
  return accountId;
}

/** Deposits money from outside into an account, inside the caller's transaction. */
export function deposit(
  db: Database,
  account: { accountId: string; currency: string; amount: bigint; at: number },
): void {
  const { accountId, currency, amount, at } = account;
  const world = internalAccount(db, 'world', currency, at);
  const postings: Posting[] = [
    { accountId: world, part: 'available', amount: -amount },
    { accountId, part: 'available', amount },
  ];
  post(db, { at, kind: 'deposit', orderId: null, postings });
}

const SUMS = ['customers', 'held', 'world', 'fees', 'exchange'] as const;

/** Sums of a currency over the whole bank, as decimal strings. `customers + held + world + fees + exchange = 0`. */
type CurrencyTotals = { currency: string } & Record<(typeof SUMS)[number], string>;

export interface Conservation {
  ok: boolean;
  /** One sentence for each broken law. */
  problems: string[];
  totals: CurrencyTotals[];
}

/** Laws of the books; each query lists what breaks one. */
const LAWS: readonly (readonly [law: string, offenders: string])[] = [
  [
    'a journal entry sums to zero in every currency',
    `SELECT p.entry_id || ' ' || a.currency AS offender FROM postings p JOIN accounts a USING (account_id)
     GROUP BY p.entry_id, a.currency HAVING SUM(p.amount) <> 0`,
  ],
  [
    'a balance is the sum of its postings',
    `SELECT a.account_id AS offender FROM accounts a LEFT JOIN postings p USING (account_id) GROUP BY a.account_id
     HAVING a.available <> SUM(CASE p.part WHEN 'available' THEN p.amount ELSE 0 END)
         OR a.frozen <> SUM(CASE p.part WHEN 'frozen' THEN p.amount ELSE 0 END)`,
  ],
  [
    'all money of a currency sums to zero',
    'SELECT currency AS offender FROM accounts GROUP BY currency HAVING SUM(available + frozen) <> 0',
  ],
  [
    "no customer's balance is negative",
    `SELECT account_id AS offender FROM accounts WHERE kind = 'customer' AND (available < 0 OR frozen < 0)`,
  ],
  [
    'what is frozen is what open orders hold',
    `SELECT a.account_id AS offender FROM accounts a
     LEFT JOIN orders o ON o.account_id = a.account_id AND o.money = 'held' AND o.direct = 'OUT'
     GROUP BY a.account_id HAVING a.frozen <> COALESCE(SUM(o.amount + o.fee), 0)`,
  ],
];

const TOTALS = `SELECT currency,
  SUM(CASE kind WHEN 'customer' THEN available ELSE 0 END) AS customers,
  SUM(frozen) AS held,
  SUM(CASE kind WHEN 'world' THEN available ELSE 0 END) AS world,
  SUM(CASE kind WHEN 'fees' THEN available ELSE 0 END) AS fees,
  SUM(CASE kind WHEN 'exchange' THEN available ELSE 0 END) AS exchange
  FROM accounts GROUP BY currency ORDER BY currency`;

type TotalsRow = { currency: string } & Record<(typeof SUMS)[number], bigint>;

/** Reads the whole journal: for tests and people, too slow for every request. */
export function checkConservation(db: Database): Conservation {
  const problems = LAWS.flatMap(([law, offenders]) =>
    db.all<{ offender: string }>(offenders).map(({ offender }) => `broken: ${law} (${offender})`),
  );
  const totals = db.all<TotalsRow>(TOTALS).map(({ currency, ...sums }) => {
    const shown = SUMS.map((name) => [name, formatMinor(sums[name], currency)]);
    return { currency, ...Object.fromEntries(shown) } as CurrencyTotals;
  });
  return { ok: problems.length === 0, problems, totals };
}
