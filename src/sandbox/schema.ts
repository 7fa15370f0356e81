import { CARD_TABLES } from './acquirer/card.ts';

/** Amounts are minor units of the account's currency. */
const BANKING_TABLES = `
CREATE TABLE accounts (
  account_id TEXT PRIMARY KEY,
  uid TEXT NOT NULL,
  currency TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('customer', 'world', 'fees', 'exchange')),
  available INTEGER NOT NULL DEFAULT 0 CHECK (kind <> 'customer' OR available >= 0),
  frozen INTEGER NOT NULL DEFAULT 0 CHECK (frozen >= 0),
  blocked INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX accounts_of_user ON accounts (uid);

CREATE TABLE journal (
  entry_id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  order_id TEXT
) STRICT;

CREATE TABLE postings (
  entry_id INTEGER NOT NULL REFERENCES journal,
  account_id TEXT NOT NULL REFERENCES accounts,
  part TEXT NOT NULL CHECK (part IN ('available', 'frozen')),
  amount INTEGER NOT NULL
) STRICT;
CREATE INDEX postings_of_entry ON postings (entry_id);

CREATE TABLE beneficiaries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  uid TEXT NOT NULL,
  currency TEXT NOT NULL,
  beneficiary_type TEXT NOT NULL,
  payment_type TEXT NOT NULL,
  items TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
-- A page is read in index order: sorting all rows for each page would take seconds for a file of new payees.
CREATE INDEX beneficiaries_of_user ON beneficiaries (uid, created_at);

CREATE TABLE orders (
  seq INTEGER PRIMARY KEY,
  order_id TEXT NOT NULL UNIQUE,
  uid TEXT NOT NULL,
  reference TEXT NOT NULL,
  type TEXT NOT NULL,
  direct TEXT NOT NULL,
  status TEXT NOT NULL,
  payment_type TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts,
  currency TEXT NOT NULL,
  amount INTEGER NOT NULL,
  fee INTEGER NOT NULL,
  beneficiary_id TEXT,
  counter_account TEXT REFERENCES accounts,
  buy_currency TEXT,
  buy_amount INTEGER,
  rate TEXT,
  note TEXT,
  reason TEXT,
  remark TEXT,
  expired_at INTEGER,
  needs_audit INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  money TEXT NOT NULL CHECK (money IN ('held', 'settled', 'released')),
  refund_of TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  due_at INTEGER
) STRICT;
-- Has all columns by which a page counts and skips: with 100,000 orders, reading the whole list takes 1,000 pages.
CREATE INDEX orders_of_user ON orders (uid, created_at, seq, currency, buy_currency);
CREATE INDEX orders_of_reference ON orders (reference);
CREATE INDEX orders_due ON orders (due_at) WHERE due_at IS NOT NULL;
`;

/**
 * `PRAGMA user_version` of a file with these tables. Whoever changes them raises it: a sandbox opens no file of another version.
 */
export const TABLES_VERSION = 4;

export const TABLES = BANKING_TABLES + CARD_TABLES;
