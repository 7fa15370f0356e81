import type { WorkerSettings } from '../services/deps.ts';
import { loadCalendar } from './calendar.ts';
import type { KeyValues } from './keys.ts';
import { loadPolicy } from './policy.ts';

/** Sweeps and pauses never get shorter than this, whatever the time scale: they cost the bank calls. */
const PAUSE_MIN_MS = 200;
/** A reconciliation reads lists of many days. */
const RECONCILE_PAUSE_MIN_MS = 30_000;

/**
 * What payouts, card payments and the worker obey: our own waits shrunk by the time scale, the time of bank and acquirer as it
 * is.
 */
export function settingsOf(values: KeyValues): WorkerSettings {
  const scaled = (ms: number): number => Math.max(1, Math.round(ms * values.PAYOUTS_TIME_SCALE));
  const paced = (ms: number): number => Math.max(PAUSE_MIN_MS, scaled(ms));
  const patienceMs = scaled(values.PAYOUTS_PATIENCE);
  const statusAgeLimitMs = scaled(values.PAYOUTS_STATUS_AGE_LIMIT);
  const looks = { lookAgainMs: paced(5_000), lookAgainMaxMs: paced(300_000) };
  return {
    terms: {
      waits: {
        patienceMs,
        fundsPatienceMs: scaled(values.PAYOUTS_FUNDS_PATIENCE),
        approvalTtlMs: scaled(values.PAYOUTS_APPROVAL_TTL),
        lateCommitMs: scaled(values.PAYOUTS_LATE_COMMIT),
        listLagMs: scaled(values.PAYOUTS_LIST_LAG),
        noMoneyRecheckMs: scaled(values.PAYOUTS_NO_MONEY_RECHECK),
        statusAgeLimitMs,
        ...looks,
      },
      referenceDedupe: values.PAYOUTS_REFERENCE_DEDUPE,
      closedMeans: values.PAYOUTS_CLOSED_MEANS,
      auditTtlMs: values.PAYOUTS_APPROVAL_TTL,
      feeCap: values.PAYOUTS_FEE_CAP,
      maxSlippage: values.PAYOUTS_MAX_SLIPPAGE,
    },
    approvalRules: values.PAYOUTS_APPROVAL_POLICY,
    policy: values.PAYOUTS_POLICY === undefined ? undefined : loadPolicy(values.PAYOUTS_POLICY),
    transferAcrossUsers: values.PAYOUTS_TRANSFER_ACROSS_USERS,
    calendar: values.PAYOUTS_HOLIDAYS === undefined ? undefined : loadCalendar(values.PAYOUTS_HOLIDAYS),
    clockSkewMs: values.PAYOUTS_BANK_CLOCK_SKEW,
    sweepMs: paced(1_000),
    sweepMaxMs: paced(30_000),
    sweepWindowMs: patienceMs,
    pageSize: values.PAYOUTS_PAGE_SIZE,
    window: values.PAYOUTS_WINDOW,
    openOrders: values.PAYOUTS_OPEN_ORDERS,
    batchPulseMs: 250,
    quietRowMs: paced(60_000),
    quietCheckMs: paced(10_000),
    reconcileDays: values.PAYOUTS_RECONCILE_DAYS,
    reconcileEveryMs: Math.max(RECONCILE_PAUSE_MIN_MS, scaled(values.PAYOUTS_RECONCILE_EVERY)),
    cardTerms: {
      fingerprintWaitMs: scaled(values.PAYOUTS_CARD_FINGERPRINT_WAIT),
      deadlineMs: scaled(values.PAYOUTS_CARD_DEADLINE),
      patienceMs: paced(values.PAYOUTS_CARD_PATIENCE),
      statusAgeLimitMs,
      repeatWindowMs: values.PAYOUTS_CARD_REPEAT_WINDOW,
      completion: values.PAYOUTS_CARD_COMPLETION,
      ...looks,
    },
  };
}
