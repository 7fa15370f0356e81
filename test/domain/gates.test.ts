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

  it('is an earlier generation that may have taken money, which nobody lets through', () => {
    const found = assessment({ earlierOpen: true });
    const passes = { lookAlikeMeant: true, approvedDigest: 'd', feeAcceptedDigest: 'd' };
    expect(nextGate(found, terms(), passes, 0)).toEqual({ gate: 'hold', reason: because('earlier-generation-open') });
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

describe('what our own store has against a submit', () => {
  const alike = { daysBefore: 3 };

  it('holds before anything is created at the bank, and a switch before a look-alike', () => {
    const both = assessment({ beneficiary: { known: false }, switchedOff: 'currency', lookAlike: alike });
    expect(nextGate(both, terms(), {}, 0)).toMatchObject({ gate: 'hold', reason: { code: 'switched-off' } });
    expect(nextGate({ ...both, switchedOff: undefined }, terms(), {}, 0)).toMatchObject({
      gate: 'hold',
      reason: { code: 'look-alike', message: 'same payee, amount and currency as an earlier payout (3 days before)' },
    });
    expect(nextGate({ ...both, switchedOff: undefined }, terms(), { lookAlikeMeant: true }, 0).gate).toBe(
      'beneficiary',
    );
  });

  it('is let through by nobody when it is a switch', () => {
    const passes = { approvedDigest: 'd', feeAcceptedDigest: 'd', lookAlikeMeant: true };
    expect(nextGate(assessment({ switchedOff: 'everything' }), terms(), passes, 0).gate).toBe('hold');
  });

  it('waits for the date, and stands in no way of a refusal that no wait mends', () => {
    const off = assessment({ switchedOff: 'uid' });
    expect(nextGate(off, terms({ dueAt: 10 }), {}, 0).gate).toBe('scheduled');
    const obstacle = { kind: 'fail' as const, reason: because('unsupported') };
    expect(nextGate({ ...off, obstacle }, terms(), {}, 0).gate).toBe('fail');
  });

  it('asks for an approval as well where the policy does: that a look-alike is meant approves nothing', () => {
    const due = assessment({ lookAlike: alike, approvalsNeeded: 2 });
    expect(nextGate(due, terms(), { lookAlikeMeant: true }, 0)).toMatchObject({ gate: 'approval', needed: 2 });
  });

  it.each([
    [0, 'of the same day'],
    [1, '1 day before'],
  ])('says how long ago an earlier payout was handed over: %i', (daysBefore, text) => {
    const gate = nextGate(assessment({ lookAlike: { daysBefore } }), terms(), {}, 0);
    expect(gate).toMatchObject({ reason: { message: expect.stringContaining(`(${text})`) } });
  });
});

describe('the quote of an exchange by itself', () => {
  const quoted = (quotedSellAmount: string): Assessment => ({
    digest: 'd',
    approvalsNeeded: 0,
    firstSellAmount: '100.00',
    exchange: {
      sellAccountId: 'a',
      buyAccountId: 'b',
      buyAmount: '108.00',
      buyCurrency: 'USD',
      sellCurrency: 'EUR',
      quotedSellAmount,
      buysWhatWasAsked: true,
    },
  });
  const capped = terms({ maxSlippage: '0.01' });

  it('passes up to the cap above the first one, and holds beyond it', () => {
    expect(nextGate(quoted('101.00'), capped, {}, 0).gate).toBe('open');
    expect(nextGate(quoted('101.01'), capped, {}, 0)).toMatchObject({
      gate: 'hold',
      reason: {
        code: 'slippage-above-cap',
        message: 'the exchange rate moved by more than the cap (101.01 EUR now, 100.00 before, cap 0.01)',
      },
    });
  });

  it('is compared with the one that somebody accepted since', () => {
    expect(nextGate(quoted('105.00'), capped, { acceptedSellAmount: '105.00' }, 0).gate).toBe('open');
    expect(nextGate(quoted('107.00'), capped, { acceptedSellAmount: '105.00' }, 0).gate).toBe('hold');
  });

  it('of a payout is compared once it is booked', () => {
    const { firstSellAmount: _first, ...ofPayout } = quoted('200.00');
    expect(nextGate(ofPayout, capped, {}, 0).gate).toBe('open');
  });
});
