import { HOUR_MS } from '../../domain/time.ts';
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
    says: 'asks for a challenge, which the cardholder fails whatever is pressed: FAILED',
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
