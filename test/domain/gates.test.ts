import { describe, expect, it } from 'vitest';
import { type Assessment, nextGate } from '../../src/domain/gates.ts';
import type { Terms } from '../../src/domain/policy.ts';
import { because } from '../../src/domain/reasons.ts';

const assessment = (over: Partial<Assessment> = {}): Assessment => ({
  beneficiary: { known: true, id: 'b', digest: 'x' },
  payingAccountId: 'a',
  fee: '1.00',
  feeCurrency: 'USD',
  digest: 'd',
  approvalsNeeded: 0,
  funds: { accountId: 'a', needs: '11.00', enough: true },
  ...over,
});
const terms = (over: Partial<Terms> = {}): Terms => ({
  waits: {
    patienceMs: 1,
    fundsPatienceMs: 1,
    approvalTtlMs: 1,
    lateCommitMs: 1,
    listLagMs: 1,
    noMoneyRecheckMs: 1,
    statusAgeLimitMs: 1,
    lookAgainMs: 1,
    lookAgainMaxMs: 1,
  },
  referenceDedupe: 'assumed',
  closedMeans: 'unclear',
  auditTtlMs: 1,
  maxSlippage: '0.01',
  ...over,
});

describe('what stands before a submit', () => {
  it('is nothing for a plain payout', () => {
    expect(nextGate(assessment(), terms(), {}, 0)).toEqual({ gate: 'open' });
  });

  it('comes in the order of the life of a payout: date, hold, funds, approval', () => {
    const all = assessment({
      approvalsNeeded: 2,
      funds: { accountId: 'a', needs: '11.00', enough: false },
      fee: '9.00',
    });
    const late = terms({ dueAt: 10, feeCap: '1.00' });
    expect(nextGate(all, late, {}, 0).gate).toBe('scheduled');
    expect(nextGate(all, late, {}, 10).gate).toBe('hold');
    expect(nextGate(all, late, { feeAcceptedDigest: 'd' }, 10).gate).toBe('await-funds');
    expect(nextGate({ ...all, funds: undefined }, late, { feeAcceptedDigest: 'd' }, 10).gate).toBe('approval');
    expect(nextGate({ ...all, funds: undefined }, late, { feeAcceptedDigest: 'd', approvedDigest: 'd' }, 10).gate).toBe(
      'open',
    );
  });

  it('an approval stands for one digest only: a changed payee needs a new one', () => {
    const changed = assessment({ approvalsNeeded: 1, digest: 'd2' });
    expect(nextGate(changed, terms(), { approvedDigest: 'd' }, 0).gate).toBe('approval');
  });

  it('a fee at the cap passes, above it holds', () => {
    expect(nextGate(assessment(), terms({ feeCap: '1' }), {}, 0).gate).toBe('open');
    expect(nextGate(assessment(), terms({ feeCap: '0.99' }), {}, 0).gate).toBe('hold');
  });

  it('a refusal that no wait mends fails before anything else is waited for', () => {
    const obstacle = { kind: 'fail' as const, reason: because('unsupported') };
    expect(nextGate(assessment({ obstacle }), terms({ dueAt: 10 }), {}, 0).gate).toBe('fail');
  });
});
