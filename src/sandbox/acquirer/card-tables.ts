/**
 * Tables of the acquirer. Of a card they have only the scenario, the first six and the last four digits: never the number, a CVV,
 * a name, a billing address or a device. Amounts in minor units.
 */
export const CARD_TABLES = `
CREATE TABLE card_sessions (
  reference_id TEXT PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  scenario TEXT NOT NULL,
  bin TEXT NOT NULL,
  last_four TEXT NOT NULL,
  amount INTEGER NOT NULL,
  currency TEXT NOT NULL,
  fingerprinted_at INTEGER,
  payment_id TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE card_payments (
  seq INTEGER PRIMARY KEY,
  payment_id TEXT NOT NULL UNIQUE,
  merchant_request_id TEXT NOT NULL,
  payment_type TEXT NOT NULL,
  status TEXT NOT NULL,
  scenario TEXT NOT NULL,
  bin TEXT NOT NULL,
  last_four TEXT NOT NULL,
  amount INTEGER NOT NULL,
  currency TEXT NOT NULL,
  reference_id TEXT,
  challenge TEXT CHECK (challenge IN ('open', 'passed', 'failed')),
  verify_token TEXT UNIQUE,
  return_url TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  due_at INTEGER
) STRICT;
CREATE INDEX card_payments_due ON card_payments (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE card_requests (
  merchant_request_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  answer TEXT NOT NULL
) STRICT;

CREATE TABLE webhook_endpoint (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  settings TEXT NOT NULL
) STRICT;

CREATE TABLE webhook_deliveries (
  seq INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  payment_id TEXT NOT NULL,
  body TEXT NOT NULL,
  forged INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'given-up', 'dropped')),
  attempts INTEGER NOT NULL,
  last_http_status INTEGER,
  created_at INTEGER NOT NULL,
  due_at INTEGER
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL;
`;
