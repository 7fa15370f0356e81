import type { ReferenceDedupe } from '../../src/domain/policy.ts';
import type { WorkerSettings } from '../../src/domain/settings.ts';
import type { BankProfile, BankWindows } from './bank/profile.ts';
import type { Random } from './random.ts';

/** Shorter than in production, in the same proportions: a run then takes hours of virtual time instead of days. */
export function drawWindows(random: Random): BankWindows {
  return {
    lateCommitMs: random.between(40_000, 200_000),
    listLagMs: random.between(5_000, 40_000),
    noMoneyRecheckMs: random.between(10_000, 30_000),
  };
}

/** What differs from the defaults. It fits what the bank really does: `verified` only where it recognises references. */
export function drawSettings(random: Random, windows: BankWindows, { dedupe, closedIs }: BankProfile) {
  const patienceMs = random.between(10, 30) * 60_000;
  const referenceDedupe: ReferenceDedupe = random.pick(
    dedupe === 'none' ? ['assumed', 'assumed', 'none'] : ['assumed', 'verified', 'verified', 'none'],
  );
  const waits = {
    ...windows,
    patienceMs,
    fundsPatienceMs: random.between(5, 30) * 60_000,
    approvalTtlMs: random.between(5, 60) * 60_000,
    statusAgeLimitMs: random.between(30, 90) * 60_000,
    pollMs: random.between(2_000, 5_000),
    pollMaxMs: random.between(20_000, 60_000),
  };
  const approvalRules = random.pick<WorkerSettings['approvalRules']>([
    [],
    [],
    [{ approvals: 1 }],
    [{ currency: 'USD', amountAtLeast: '300', approvals: 2 }],
    [{ newPayee: true, approvals: 1 }],
    [{ approvals: 2 }, { newPayee: true, approvals: 3 }],
  ]);
  return {
    terms: {
      waits,
      referenceDedupe,
      closedMeans: closedIs,
      feeCap: random.chance(0.2) ? '4' : undefined,
      maxSlippage: random.pick(['0.01', '0.001', '0.05']),
      auditTtlMs: random.between(5, 60) * 60_000,
    },
    approvalRules,
    listPollMs: random.between(1_000, 8_000),
    listPollMaxMs: random.between(20_000, 60_000),
    listWindowMs: random.between(3 * 60_000, patienceMs),
    pageSize: random.pick([3, 20, 100]),
    reconcileEveryMs: 3_600_000,
  } satisfies Partial<WorkerSettings>;
}
