import type { Config } from '../config.ts';
import type { WorkerSettings } from '../services/deps.ts';

/** Sweeps and pauses never get shorter than this, whatever the time scale: they cost the bank calls. */
const PAUSE_MIN_MS = 200;
/** A reconciliation reads lists of many days. */
const RECONCILE_PAUSE_MIN_MS = 30_000;

/** The worker's settings of a configuration: our own waits scaled, the bank's time as it is. */
export function workerSettings(config: Config): WorkerSettings {
  const { scaled, durations } = config;
  const paced = (ms: number): number => Math.max(PAUSE_MIN_MS, scaled(ms));
  return {
    waits: {
      patienceMs: scaled(durations.patienceMs),
      fundsPatienceMs: scaled(durations.fundsPatienceMs),
      approvalTtlMs: scaled(durations.approvalTtlMs),
      lateCommitMs: scaled(durations.lateCommitMs),
      listLagMs: scaled(durations.listLagMs),
      noMoneyRecheckMs: scaled(durations.noMoneyRecheckMs),
      statusAgeLimitMs: scaled(durations.statusAgeLimitMs),
      lookAgainMs: paced(5_000),
      lookAgainMaxMs: paced(300_000),
    },
    referenceDedupe: config.referenceDedupe,
    closedMeans: config.closedMeans,
    approvalRules: config.approvalRules,
    feeCap: config.feeCap,
    maxSlippage: config.maxSlippage,
    transferAcrossUsers: config.transferAcrossUsers,
    calendar: config.calendar,
    auditTtlMs: durations.approvalTtlMs,
    clockSkewMs: durations.bankClockSkewMs,
    sweepMs: paced(1_000),
    sweepMaxMs: paced(30_000),
    sweepWindowMs: scaled(durations.patienceMs),
    pageSize: config.pageSize,
    window: config.window,
    openOrders: config.openOrders,
    batchPulseMs: 250,
    quietRowMs: paced(60_000),
    quietCheckMs: paced(10_000),
    reconcileDays: config.reconcileDays,
    cardTerms: {
      fingerprintWaitMs: scaled(config.cards.fingerprintWaitMs),
      deadlineMs: scaled(config.cards.deadlineMs),
      patienceMs: paced(config.cards.patienceMs),
      statusAgeLimitMs: scaled(durations.statusAgeLimitMs),
      repeatWindowMs: config.cards.repeatWindowMs,
      completion: config.cards.completion,
      lookAgainMs: paced(5_000),
      lookAgainMaxMs: paced(300_000),
    },
    reconcileEveryMs: Math.max(RECONCILE_PAUSE_MIN_MS, scaled(durations.reconcileEveryMs)),
  };
}
