import { z } from 'zod';
import { isCardNumber } from '../../domain/card-number.ts';
import { badRequest } from '../requests.ts';
import { type ScenarioName, scenarioOf } from './scenarios.ts';

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

/** Body member `card`. The field names are our defaults, since the interface shows none (section 4). */
export const cardBody = z.object({
  number: z.string().regex(/^\d{12,19}$/),
  expiry_month: z.string().regex(/^(?:0?[1-9]|1[0-2])$/),
  expiry_year: z.string().regex(/^20\d\d$/),
  cvv: z
    .string()
    .regex(/^\d{3,4}$/)
    .nullish(),
  holder_name: z.string().max(255).nullish(),
});
type CardBody = z.infer<typeof cardBody>;

/** All that is stored of a card. */
export interface ShownCard {
  scenario: ScenarioName;
  bin: string;
  last_four: string;
}

/** `now`: epoch milliseconds. Throws 2002 for a number with a wrong Luhn digit and for an expired card. */
export function judgeCard({ number, expiry_month, expiry_year }: CardBody, now: number): ShownCard {
  if (!isCardNumber(number)) throw badRequest('card.number: not a card number');
  // Cards are valid until the end of their month; Date.UTC counts months from 0.
  if (now >= Date.UTC(Number(expiry_year), Number(expiry_month))) throw badRequest('card: expired');
  return { scenario: scenarioOf(number), ...shownDigits(number) };
}

const shownDigits = (number: string): Pick<ShownCard, 'bin' | 'last_four'> => ({
  bin: number.slice(0, 6),
  last_four: number.slice(-4),
});

const session = z.object({ reference_id: z.string() }).optional().catch(undefined);
const text = z.string().optional().catch(undefined);

/** Members of a body that may be stored; all others are dropped. */
const kept = z.object({
  merchant_request_id: text,
  payment_type: text,
  amount: text,
  currency: text,
  payment_id: text,
  reference_id: text,
  three_ds_info: session,
  card: z
    .object({ number: z.string().regex(/^\d{12,19}$/) })
    .transform(({ number }) => shownDigits(number))
    .optional()
    .catch(undefined),
});

/** A card POST's body for the log: of the card only the first six and last four digits, nothing of its holder. */
export function withoutCard(body: string): string {
  try {
    return JSON.stringify(kept.parse(JSON.parse(body)));
  } catch {
    return '{}';
  }
}
