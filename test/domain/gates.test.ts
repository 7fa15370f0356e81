import { describe, expect, it } from 'vitest';
import {
  type Assessment,
  afterObstacle,
  afterRepeatedRefusal,
  nextGate,
  type Obstacle,
  pauseOfHold,
} from '../../src/domain/gates.ts';
import { needsAttention } from '../../src/domain/payout-state.ts';
import type { Terms } from '../../src/domain/policy.ts';
import { because } from '../../src/domain/reasons.ts';

const assessment = (over: Partial<Assessment> = {}): Assessment => ({
  beneficiary: { known: true, id: 'b', digest: 'x' },
  payingAccountId: 'a',
  fee: '1.00',
  feeCurrency: 'USD',
  digest: 'd',
  approvalsNeeded: 0,
  funds: { accountId: 'a', needs: '11.00', available: '500.00', enough: true },
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
    pollMs: 1,
    pollMaxMs: 1,
  },
  referenceDedupe: 'assumed',
  closedMeans: 'unclear',
  auditTtlMs: 1,
  maxSlippage: '0.01',
  ...over,
});

describe('what is checked before a submit', () => {
  it('is nothing for a plain payout', () => {
    expect(nextGate(assessment(), terms(), {}, 0)).toEqual({ gate: 'open' });
  });

  it('is the first of what is against it, in one order', () => {
    let guards: Partial<Assessment> = {
      switchedOff: 'everything',
      earlierOpen: true,
      cardPayment: 'unpaid',
      limit: 'of a day',
      makerNotAllowed: true,
      exceptions: [{ reason: because('look-alike'), digest: 'meant' }],
    };
    const order = (Object.keys(guards) as (keyof Assessment)[]).map((guard) => {
      const gate = nextGate(assessment(guards), terms(), {}, 0);
      guards = { ...guards, [guard]: undefined };
      return 'reason' in gate ? gate.reason.code : gate.gate;
    });
    expect(order).toEqual([
      ...['switched-off', 'earlier-generation-open', 'card-payment-unpaid', 'limit-reached', 'maker-not-allowed'],
      'look-alike',
    ]);
  });

  it('asks nobody about a list that cannot show yet what the bank has just refused', () => {
    const reasonOf = (listDoubt: Assessment['listDoubt']) => {
      const gate = nextGate(assessment({ listDoubt }), terms(), {}, 0);
      if (gate.gate !== 'hold') throw new Error(`is ${gate.gate}`);
      return gate.reason;
    };
    expect(reasonOf('too-soon')).toEqual(because('list-too-soon'));
    expect(needsAttention('held', reasonOf('too-soon'))).toBe(false);
    expect(reasonOf('not-stable').code).toBe('list-proves-nothing');
    expect(needsAttention('held', reasonOf('not-stable'))).toBe(true);
  });

  it('comes in the order of the life of a payout: date, hold, funds, approval', () => {
    const all = assessment({
      approvalsNeeded: 2,
      funds: { accountId: 'a', needs: '11.00', available: '10.99', enough: false },
      exceptions: [{ reason: because('fee-above-cap'), digest: 'fee' }],
    });
    const late = terms({ dueAt: 10 });
    expect(nextGate(all, late, {}, 0).gate).toBe('scheduled');
    expect(nextGate(all, late, {}, 10).gate).toBe('hold');
    expect(nextGate(all, late, { letThrough: ['fee'] }, 10).gate).toBe('await-funds');
    expect(nextGate({ ...all, funds: undefined }, late, { letThrough: ['fee'] }, 10).gate).toBe('approval');
    expect(
      nextGate(
        { ...all, funds: undefined },
        late,
        { letThrough: ['fee'], approved: [{ digest: 'd', by: ['bob', 'carol'] }] },
        10,
      ).gate,
    ).toBe('open');
  });

  it('is an earlier generation that may have taken money, which nobody lets through', () => {
    const found = assessment({ earlierOpen: true });
    const passes = { letThrough: ['alike', 'fee'], approved: [{ digest: 'd', by: ['bob'] }] };
    expect(nextGate(found, terms(), passes, 0)).toMatchObject({
      gate: 'hold',
      reason: because('earlier-generation-open'),
    });
  });

  it('an approval is bound to its digest, also when the fee changes and changes back', () => {
    const approved = ['d', 'd2'].map((digest) => ({ digest, by: ['bob'] }));
    expect(nextGate(assessment({ approvalsNeeded: 1 }), terms(), { approved }, 0).gate).toBe('open');
  });

  it('an approval is bound to one digest only: a changed payee needs a new one', () => {
    const changed = assessment({ approvalsNeeded: 1, digest: 'd2' });
    expect(nextGate(changed, terms(), { approved: [{ digest: 'd', by: ['bob'] }] }, 0).gate).toBe('approval');
  });

  it('a refusal that no wait mends fails before anything else is waited for', () => {
    const obstacle = { kind: 'fail' as const, reason: because('unsupported') };
    expect(nextGate(assessment({ obstacle }), terms({ dueAt: 10 }), {}, 0).gate).toBe('fail');
  });
});

describe('what our own store has against a submit', () => {
  const exceptions = [{ reason: because('look-alike'), digest: 'alike' }];

  it('holds before anything is created at the bank, and a switch before a look-alike', () => {
    const both = assessment({ beneficiary: { known: false }, switchedOff: 'currency', exceptions });
    expect(nextGate(both, terms(), {}, 0)).toMatchObject({ gate: 'hold', reason: { code: 'switched-off' } });
    expect(nextGate({ ...both, switchedOff: undefined }, terms(), {}, 0)).toMatchObject({
      gate: 'hold',
      digest: 'alike',
      reason: { code: 'look-alike' },
    });
    expect(nextGate({ ...both, switchedOff: undefined }, terms(), { letThrough: ['alike'] }, 0).gate).toBe(
      'beneficiary',
    );
  });

  it('is let through by nobody when it is a switch', () => {
    const passes = { letThrough: ['alike', 'fee'], approved: [{ digest: 'd', by: ['bob'] }] };
    expect(nextGate(assessment({ switchedOff: 'everything' }), terms(), passes, 0).gate).toBe('hold');
  });

  it('waits for the date, and delays no refusal that no wait mends', () => {
    const off = assessment({ switchedOff: 'uid' });
    expect(nextGate(off, terms({ dueAt: 10 }), {}, 0).gate).toBe('scheduled');
    const obstacle = { kind: 'fail' as const, reason: because('unsupported') };
    expect(nextGate({ ...off, obstacle }, terms(), {}, 0).gate).toBe('fail');
  });

  it('asks for an approval as well where the policy does: that a look-alike is meant approves nothing', () => {
    const due = assessment({ exceptions, approvalsNeeded: 2 });
    expect(nextGate(due, terms(), { letThrough: ['alike'] }, 0)).toMatchObject({ gate: 'approval', needed: 2 });
  });

  it('is let through for what was asked, and for nothing that has come since', () => {
    const worse = [{ reason: because('fee-above-cap'), digest: 'higher' }];
    const gate = nextGate(assessment({ exceptions: worse }), terms(), { letThrough: ['fee'] }, 0);
    expect(gate).toMatchObject({ gate: 'hold', digest: 'higher' });
  });
});

describe('a refusal, by a reading after it', () => {
  const refused = (code: 'account-frozen' | 'account-not-found'): Obstacle => ({ kind: 'hold', reason: because(code) });

  it('remains the reason while the list is too young to send again, and no longer', () => {
    const obstacle = refused('account-frozen');
    expect(nextGate(afterObstacle(obstacle, assessment({ listDoubt: 'too-soon' })), terms(), {}, 0)).toMatchObject({
      gate: 'hold',
      reason: { code: 'account-frozen' },
    });
    expect(nextGate(afterObstacle(obstacle, assessment()), terms(), {}, 0)).toEqual({ gate: 'open' });
    const other = assessment({ listDoubt: 'too-soon', obstacle: refused('account-not-found') });
    expect(afterObstacle(obstacle, other)).toBe(other);
    expect(afterObstacle(undefined, assessment({ listDoubt: 'too-soon' }))).toMatchObject({ listDoubt: 'too-soon' });
  });

  it('is contradicted by an account that is shown, unless the bank says that it is frozen', () => {
    const reasonAfter = (code: 'account-frozen' | 'account-not-found') =>
      afterRepeatedRefusal('code n', refused(code), assessment()).obstacle;
    expect(reasonAfter('account-not-found')).toMatchObject({ reason: { code: 'refusal-contradicted' } });
    expect(reasonAfter('account-frozen')).toEqual(refused('account-frozen'));
  });
});

it('an account is tried every five minutes for two hours, so that its rows go on, and then once an hour', () => {
  const minutes = (visits: number): number =>
    pauseOfHold(because('account-frozen'), visits, { ...terms().waits, pollMs: 5_000, pollMaxMs: 300_000 }) / 60_000;
  expect([10, 23, 24].map(minutes)).toEqual([5, 5, 60]);
});
