import { z } from 'zod';
import { isCardNumber } from '../../domain/card-number.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { badRequest } from '../requests.ts';

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
const cardBody = z.object({
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

/**
 * A payment's course depends only on its card number. Digits 7 and 8 of a number that begins with 400000 select the scenario; the
 * others are free, so that every test can have its own numbers.
 */
export interface Scenario {
  number: string;
  says: string;
  /** Final `payment_status`; FAILED at once if `declined`. */
  end: 'SUCCEEDED' | 'FAILED';
  declined?: boolean;
  /** Without a 3-D Secure set-up, the payment is declined with REQUIRES_ACTION and without next_action. */
  needsSetUp?: boolean;
  /** The cardholder must confirm; `refused`: the issuer fails the check nevertheless. */
  challenge?: 'confirmed' | 'refused';
  /** No completion notification is sent: only the browser returns. */
  completionUnannounced?: boolean;
  /** Milliseconds in PROCESSING instead of the profile's. */
  settleMs?: number;
  /** Webhooks about the end: none, one before the answer to create, or a second one that contradicts the first. */
  webhook?: 'none' | 'before-answer' | 'contradicted';
  /** Minor units captured beyond the requested amount. */
  capturedAbove?: bigint;
}

export const SCENARIOS = {
  success: {
    number: '4000000010000000',
    says: 'succeeds without a challenge; so does every other valid number',
    end: 'SUCCEEDED',
  },
  decline: { number: '4000000110000009', says: 'is declined: FAILED at once', end: 'FAILED', declined: true },
  'fail-later': {
    number: '4000000210000008',
    says: 'PROCESSING at first, then FAILED by webhook',
    end: 'FAILED',
  },
  challenge: {
    number: '4000000310000007',
    says: 'asks for a challenge; confirmed it succeeds, cancelled it fails',
    end: 'SUCCEEDED',
    needsSetUp: true,
    challenge: 'confirmed',
  },
  'challenge-fails': {
    number: '4000000410000006',
    says: 'asks for a challenge, which the cardholder fails with every button: FAILED',
    end: 'FAILED',
    needsSetUp: true,
    challenge: 'refused',
  },
  'challenge-unannounced': {
    number: '4000000510000005',
    says: 'like a challenge that is confirmed, but no completion notice is sent: only the browser comes back',
    end: 'SUCCEEDED',
    needsSetUp: true,
    challenge: 'confirmed',
    completionUnannounced: true,
  },
  'needs-set-up': {
    number: '4000000610000004',
    says: 'without a 3-D Secure set-up declined with REQUIRES_ACTION and no next action; with one it succeeds',
    end: 'SUCCEEDED',
    needsSetUp: true,
  },
  'no-webhook': {
    number: '4000000710000003',
    says: 'succeeds, but no webhook says so: only a retrieve shows it',
    end: 'SUCCEEDED',
    webhook: 'none',
  },
  'webhook-first': {
    number: '4000000810000002',
    says: 'succeeds at once: the webhook goes out a second before the answer to the create',
    end: 'SUCCEEDED',
    settleMs: 0,
    webhook: 'before-answer',
  },
  slow: {
    number: '4000000910000001',
    says: 'is PROCESSING for an hour of sandbox time, then succeeds',
    end: 'SUCCEEDED',
    settleMs: HOUR_MS,
  },
  'other-amount': {
    number: '4000001010000008',
    says: 'succeeds, and one minor unit more than asked for is captured',
    end: 'SUCCEEDED',
    capturedAbove: 1n,
  },
  contradicted: {
    number: '4000001110000007',
    says: 'succeeds, and after the webhook of that another one says FAILED',
    end: 'SUCCEEDED',
    webhook: 'contradicted',
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;

export const scenarioNamed = (name: ScenarioName): Scenario => SCENARIOS[name];

const DECIDING_DIGITS = 8;

const NAMES: ReadonlyMap<string, ScenarioName> = new Map(
  (Object.keys(SCENARIOS) as ScenarioName[]).map((name) => [SCENARIOS[name].number.slice(0, DECIDING_DIGITS), name]),
);

/** @param number a valid card number */
export const scenarioOf = (number: string): ScenarioName => NAMES.get(number.slice(0, DECIDING_DIGITS)) ?? 'success';

/** The test cards for `GET /__sandbox/cards` and the pages. */
export const TEST_CARDS = Object.entries(SCENARIOS).map(([scenario, { number, says }]) => ({ scenario, number, says }));

export const TEST_CARDS_NOTE =
  'Any CVV and any expiry that is not past. Digits 7 and 8 of a number that begins with 400000 decide; the digits after them are free as long as the last one makes the Luhn sum right.';

/** Bodies of the acquiring endpoints. Except for the names shown in the interface (section 4) they are our defaults. */

const currency = z.string().regex(/^[A-Z]{3}$/);
const amount = z.string().min(1).max(32);
const id = z.string().min(1).max(64);
const webAddress = z.url({ protocol: /^https?$/ }).max(2_048);
const givenText = z.string().max(255).nullish();
const pixels = z.int().nonnegative().nullish();

/** Only its shape is checked: nothing here depends on it. */
const billing = z
  .object({
    email: givenText,
    address: z
      .object({
        line1: givenText,
        line2: givenText,
        city: givenText,
        state: givenText,
        postcode: givenText,
        country: givenText,
      })
      .nullish(),
  })
  .nullish();
const deviceInfo = z
  .object({
    ip: givenText,
    language: givenText,
    screen_width: pixels,
    screen_height: pixels,
    user_agent: z.string().max(1_024).nullish(),
  })
  .nullish();

export const setUpBody = z.object({ amount, currency, card: cardBody });

/** Read first: with a known id, nothing else matters. */
export const requestIdBody = z.object({ merchant_request_id: id });

const sessionBody = z.object({ reference_id: id });

const intent = { payment_type: z.enum(['AUTH', 'DEBIT']), amount, currency };

export const createBody = z.object({
  merchant_request_id: id,
  ...intent,
  card: cardBody,
  three_ds_info: sessionBody.nullish(),
  return_url: webAddress.nullish(),
  billing,
  device_info: deviceInfo,
});
export type CreateRequest = z.infer<typeof createBody>;

/** A body with `payment_id` resumes (interface section 4, "on resume reference_id with payment_id"). */
export const isResume = (body: Readonly<Record<string, unknown>>): boolean => typeof body.payment_id === 'string';

export const resumeBody = z.object({
  merchant_request_id: id,
  ...intent,
  payment_id: id,
  reference_id: id,
  three_ds_info: sessionBody.nullish(),
});
export type ResumeRequest = z.infer<typeof resumeBody>;
