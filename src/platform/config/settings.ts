import { z } from 'zod';
import { type BusinessCalendar, KNOWN_BY_RULE, WEEKDAYS } from '../../domain/business-days.ts';
import type { CardTerms } from '../../domain/card-payment.ts';
import type { Terms } from '../../domain/policy.ts';
import type { WorkerSettings } from '../../domain/settings.ts';
import { midnightOf } from '../../domain/time.ts';
import { cardStatuses } from './cards.ts';
import { readJsonFile } from './json-file.ts';
import { key, type ValuesOf } from './key.ts';
import type { PolicyFile } from './policy.ts';
import {
  approvalPolicy,
  count,
  decimal,
  duration,
  durationUpTo,
  flag,
  fraction,
  oneOf,
  pathText,
  timeScale,
  timeZone,
} from './values.ts';

const daysByCurrency = z.record(
  z.string().regex(/^(\*|[A-Z]{3})$/, { error: 'is neither * nor a currency code' }),
  z.array(
    z.string().refine((text) => midnightOf(text) !== undefined, { error: 'is not a valid date such as 2026-12-25' }),
  ),
);

const calendar = z.strictObject({
  weekend: z
    .array(z.enum(WEEKDAYS))
    .refine((days) => new Set(days).size < WEEKDAYS.length, { error: 'leaves no business day' })
    .default(['SAT', 'SUN']),
  paymentSystems: z.boolean().default(false),
  holidays: daysByCurrency.default({}),
  open: daysByCurrency.default({}),
  cutOffs: z
    .array(
      z.strictObject({
        currency: z.string().regex(/^[A-Z]{3}$/, { error: 'is no currency code' }),
        payment_type: z.string().min(1).optional(),
        at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'is not a time such as 15:30' }),
        zone: timeZone,
      }),
    )
    .default([]),
});

/** In place of a file: weekends, and what is known by rule. */
const PAYMENT_SYSTEMS_ALONE = 'payment-systems';

/** The calendar named by `PAYOUTS_HOLIDAYS`. Throws a `ConfigError` if its file is unusable. */
const loadCalendar = (named: string): BusinessCalendar =>
  named === PAYMENT_SYSTEMS_ALONE
    ? KNOWN_BY_RULE
    : readJsonFile(
        named,
        calendar,
        'PAYOUTS_HOLIDAYS',
        `It is: ${PAYMENT_SYSTEMS_ALONE}, or a JSON file {"weekend":["SAT","SUN"],"paymentSystems":true,"holidays":{"*":["2026-12-25"]},"open":{},"cutOffs":[{"currency":"EUR","at":"15:30","zone":"Europe/Berlin"}]}, where each member may be absent.`,
      );

/** What is taken for granted about the records of the bank. Those marked (api-gaps) supply what the interface does not show. */
export const BANK_RECORD_KEYS = {
  PAYOUTS_REFERENCE_DEDUPE: key(
    oneOf('assumed', 'verified', 'none'),
    'assumed',
    'how far the bank is trusted to recognise a repeated reference (api-gaps)',
  ),
  PAYOUTS_CLOSED_MEANS: key(
    oneOf('unclear', 'paid', 'failed'),
    'unclear',
    'meaning of the order status CLOSED (api-gaps)',
  ),
  PAYOUTS_PAGE_SIZE: key(count(1, 1_000), '100', 'records requested per page of a list (api-gaps)'),
  PAYOUTS_BANK_CLOCK_SKEW: key(
    duration,
    '10m',
    "how far the bank's clock may differ from ours; never scaled (api-gaps)",
  ),
  PAYOUTS_LATE_COMMIT: key(
    duration,
    '10m',
    'how long after a lost answer the bank may still commit an order (api-gaps)',
  ),
  PAYOUTS_LIST_LAG: key(duration, '2m', 'how long a committed order may be missing from the order list (api-gaps)'),
  PAYOUTS_NO_MONEY_RECHECK: key(
    duration,
    '60s',
    'time between the two reads that confirm a status meaning "no money moved" (api-gaps)',
  ),
} as const;

/** Who may move money, and within which limits. */
export const AUTHORITY_KEYS = {
  PAYOUTS_POLICY: key(
    pathText,
    null,
    'JSON file with people, roles, limits and approvals, which makes decisions signed; absent: trial mode, names are not verified; required if the bank or Temporal is on another machine',
  ),
  PAYOUTS_APPROVAL_POLICY: key(
    approvalPolicy,
    '{"rules":[]}',
    'JSON {"rules":[{"currency"?,"amountAtLeast"?,"newPayee"?,"approvals"}]}; the highest number among the matching rules applies',
  ),
  PAYOUTS_APPROVAL_TTL: key(
    duration,
    '72h',
    "lifetime of internal approvals (scaled), and of the bank's `expired_at` if the row has none (not scaled)",
  ),
  PAYOUTS_FEE_CAP: key(
    decimal,
    null,
    "cap on the fee, in the fee's own currency, for rows without one; absent: no cap",
  ),
  PAYOUTS_MAX_SLIPPAGE: key(
    fraction,
    '0.01',
    'how much more than its quote an exchange may cost, for rows that do not say',
  ),
  PAYOUTS_TRANSFER_ACROSS_USERS: key(
    flag,
    'false',
    'allow transfers to accounts of other users that the key sees (api-gaps)',
  ),
} as const;

/** How long a payout waits for what, and how many there are at a time. */
export const PACE_KEYS = {
  PAYOUTS_FUNDS_PATIENCE: key(duration, '24h', 'how long a payout waits for money on its account'),
  PAYOUTS_PATIENCE: key(duration, '24h', 'a payout without news for this long queries the bank itself'),
  PAYOUTS_STATUS_AGE_LIMIT: key(
    duration,
    '72h',
    'an order whose status has not changed for this long goes to needs-operator',
  ),
  PAYOUTS_RECONCILE_DAYS: key(
    count(1, 3_650),
    '45',
    "days after its last change during which a payout is compared with the bank's orders; never scaled (api-gaps)",
  ),
  PAYOUTS_RECONCILE_EVERY: key(
    duration,
    '6h',
    'longest interval between two such comparisons, at least 30s; few lists are read again after a minute each, at least five',
  ),
  PAYOUTS_HOLIDAYS: key(
    pathText,
    null,
    '`payment-systems` (weekends and the closing days of TARGET, Fedwire, CHAPS and others, by rule), or a JSON file of closed days, open days and cut-offs: a row due on a closed day is sent on the next business day; absent: every day is a business day',
  ),
  PAYOUTS_TIME_ZONE: key(
    timeZone,
    'UTC',
    'time zone of the business day, such as `Europe/Berlin`: of period reports, and of bookings taken from the order list',
  ),
  PAYOUTS_WINDOW: key(count(1, 1_000), '50', 'released payouts of one batch whose order the bank has not accepted yet'),
  PAYOUTS_OPEN_ORDERS: key(
    count(1, 100_000_000),
    '100000',
    'payouts with an open order at the bank, over all batches; at this number no further row is released (api-gaps)',
  ),
  PAYOUTS_TIME_SCALE: key(timeScale, '1', "shortens the product's own waits; 0.02 and 50 (read as 1:50) mean the same"),
} as const;

/** How long a card payment waits for what, and what counts as its end. */
export const CARD_PACE_KEYS = {
  PAYOUTS_CARD_FINGERPRINT_WAIT: key(duration, '10s', 'how long a card payment waits for the device fingerprint'),
  PAYOUTS_CARD_DEADLINE: key(
    duration,
    '30m',
    'how long a card payment waits for a card, or for the cardholder to complete a challenge',
  ),
  PAYOUTS_CARD_PATIENCE: key(
    duration,
    '5m',
    'a card payment in PROCESSING without news for this long queries the acquirer itself, at growing intervals',
  ),
  PAYOUTS_CARD_REPEAT_WINDOW: key(
    durationUpTo(24 * 3_600_000 - 1, 'is not a duration below 24h'),
    '20h',
    'how long after its first attempt a card payment may be repeated under its merchant_request_id, below 24h; never scaled',
  ),
  PAYOUTS_CARD_COMPLETION: key(
    oneOf('notice-or-return', 'notice'),
    'notice-or-return',
    "what ends a challenge: only its completion notice, or also the cardholder's return (api-gaps)",
  ),
  PAYOUTS_CARD_AUTH_COUNTS: key(
    oneOf('no', 'yes'),
    'no',
    'whether a successful card payment of type AUTH counts as money taken, for payouts that depend on it (api-gaps)',
  ),
  PAYOUTS_CARD_BACK_STATUSES: key(
    cardStatuses,
    'REFUNDED,PARTIALLY_REFUNDED,REVERSED,VOIDED,CHARGEBACK',
    'statuses of a card payment, comma-separated, that say its money was given back: one after SUCCEEDED contradicts that end (api-gaps)',
  ),
} as const;

type WorkerKeys = typeof BANK_RECORD_KEYS & typeof AUTHORITY_KEYS & typeof PACE_KEYS & typeof CARD_PACE_KEYS;

/** Lower limit of pauses between calls of the bank, at any time scale. */
const PAUSE_MIN_MS = 200;
/** Longer, since a reconciliation reads lists of many days. */
const RECONCILE_PAUSE_MIN_MS = 30_000;

/**
 * Settings of payouts, card payments and workers. Our own waits are shortened by the time scale, the time of bank and acquirer is
 * not.
 */
export function settingsOf(values: ValuesOf<WorkerKeys>, policyFile?: PolicyFile): WorkerSettings {
  const scaled = (ms: number): number => Math.max(1, Math.round(ms * values.PAYOUTS_TIME_SCALE));
  const paced = (ms: number): number => Math.max(PAUSE_MIN_MS, scaled(ms));
  const patienceMs = scaled(values.PAYOUTS_PATIENCE);
  const statusAgeLimitMs = scaled(values.PAYOUTS_STATUS_AGE_LIMIT);
  const reads = { pollMs: paced(5_000), pollMaxMs: paced(300_000) };
  const terms: Terms = {
    waits: {
      patienceMs,
      fundsPatienceMs: scaled(values.PAYOUTS_FUNDS_PATIENCE),
      approvalTtlMs: scaled(values.PAYOUTS_APPROVAL_TTL),
      lateCommitMs: scaled(values.PAYOUTS_LATE_COMMIT),
      listLagMs: scaled(values.PAYOUTS_LIST_LAG),
      noMoneyRecheckMs: scaled(values.PAYOUTS_NO_MONEY_RECHECK),
      statusAgeLimitMs,
      ...reads,
    },
    referenceDedupe: values.PAYOUTS_REFERENCE_DEDUPE,
    closedMeans: values.PAYOUTS_CLOSED_MEANS,
    auditTtlMs: values.PAYOUTS_APPROVAL_TTL,
    feeCap: values.PAYOUTS_FEE_CAP,
    maxSlippage: values.PAYOUTS_MAX_SLIPPAGE,
  };
  const cardTerms: CardTerms = {
    fingerprintWaitMs: scaled(values.PAYOUTS_CARD_FINGERPRINT_WAIT),
    deadlineMs: scaled(values.PAYOUTS_CARD_DEADLINE),
    patienceMs: paced(values.PAYOUTS_CARD_PATIENCE),
    statusAgeLimitMs,
    repeatWindowMs: values.PAYOUTS_CARD_REPEAT_WINDOW,
    completion: values.PAYOUTS_CARD_COMPLETION,
    ...reads,
  };
  return {
    terms,
    cardTerms,
    cardAuthCounts: values.PAYOUTS_CARD_AUTH_COUNTS === 'yes',
    cardBackStatuses: values.PAYOUTS_CARD_BACK_STATUSES,
    get policy() {
      return policyFile?.current();
    },
    approvalRules: values.PAYOUTS_APPROVAL_POLICY,
    transferAcrossUsers: values.PAYOUTS_TRANSFER_ACROSS_USERS,
    calendar: values.PAYOUTS_HOLIDAYS === undefined ? undefined : loadCalendar(values.PAYOUTS_HOLIDAYS),
    clockSkewMs: values.PAYOUTS_BANK_CLOCK_SKEW,
    listPollMs: paced(1_000),
    listPollMaxMs: paced(30_000),
    listWindowMs: patienceMs,
    pageSize: values.PAYOUTS_PAGE_SIZE,
    timeZone: values.PAYOUTS_TIME_ZONE,
    window: values.PAYOUTS_WINDOW,
    openOrders: values.PAYOUTS_OPEN_ORDERS,
    batchPulseMs: 250,
    quietRowMs: paced(60_000),
    quietCheckMs: paced(10_000),
    reconcileDays: values.PAYOUTS_RECONCILE_DAYS,
    reconcileEveryMs: Math.max(RECONCILE_PAUSE_MIN_MS, scaled(values.PAYOUTS_RECONCILE_EVERY)),
  };
}
