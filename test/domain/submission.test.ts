import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { provenAbsent, type Search, searchDelayMs } from '../../src/domain/absence.ts';
import type { Waits } from '../../src/domain/policy.ts';
import type { BankCondition } from '../../src/domain/submission.ts';
import {
  type AttemptResult,
  afterAttempt,
  afterProvenAbsence,
  afterUnprovenResend,
  mayResend,
  mergeWithStored,
  NEVER_SENT,
  orderAsked,
  orderToRepeat,
  REFUSALS_BELIEVED,
  refusalMeaning,
  submissionOf,
  TOKEN_EXPIRY_RESENDS_MAX,
} from '../../src/domain/submission.ts';

const waits: Waits = {
  patienceMs: 86_400_000,
  fundsPatienceMs: 86_400_000,
  approvalTtlMs: 259_200_000,
  lateCommitMs: 600_000,
  listLagMs: 120_000,
  noMoneyRecheckMs: 60_000,
  statusAgeLimitMs: 259_200_000,
  pollMs: 5_000,
  pollMaxMs: 300_000,
};

const uncertain = fc.constantFrom<AttemptResult>({ outcome: 'ambiguous', why: 'reset' }, { outcome: 'exists' });
const refused = (condition: BankCondition): AttemptResult => ({ outcome: 'refused', condition, code: 1 });
const REFUSALS: readonly BankCondition[] = [
  'bad-request',
  'beneficiary-not-found',
  'account-not-found',
  'account-frozen',
  'unsupported',
  'insufficient-funds',
];
const harmless = fc.constantFrom<AttemptResult>(
  { outcome: 'not-sent', why: 'unreachable' },
  { outcome: 'not-sent', why: 'authentication' },
  { outcome: 'not-sent', why: 'token-suspect' },
  ...REFUSALS.map(refused),
);

describe('rule R0: what follows an unknown outcome', () => {
  it('after an ambiguous attempt nothing but an order found or a search resolves the payout', () => {
    fc.assert(
      fc.property(uncertain, fc.array(harmless, { minLength: 1, maxLength: 5 }), (first, rest) => {
        let { known } = afterAttempt(NEVER_SENT, first);
        for (const result of rest) {
          const after = afterAttempt(known, result);
          known = after.known;
          expect(after.next).toEqual({ step: 'resolve' });
        }
        expect(known.tainted).toBe(true);
      }),
    );
  });

  it('"balance not enough" after a lost answer is not believed: the lost attempt may have taken the money', () => {
    const { known } = afterAttempt(NEVER_SENT, { outcome: 'ambiguous', why: 'time-out' });
    expect(afterAttempt(known, refused('insufficient-funds')).next).toEqual({ step: 'resolve' });
  });

  it('"already existed" is never taken for success, failure or permission to send again', () => {
    expect(afterAttempt(NEVER_SENT, { outcome: 'exists' }).next).toEqual({ step: 'resolve' });
  });

  it('attempts are counted with any answer, so that no number is used twice', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(uncertain, harmless), { maxLength: 20 }), (results) => {
        const known = results.reduce((state, result) => afterAttempt(state, result).known, NEVER_SENT);
        expect(known.attempts).toBe(results.length);
      }),
    );
  });
});

describe('a send that a switch kept back', () => {
  const off: AttemptResult = { outcome: 'not-sent', why: 'switched-off', scope: 'currency' };

  it('goes back to the gates when nothing is in doubt, and its number is used up', () => {
    expect(afterAttempt(NEVER_SENT, off)).toEqual({
      known: { ...NEVER_SENT, attempts: 1 },
      next: { step: 'switched-off', scope: 'currency' },
    });
  });

  it('leaves an earlier attempt in doubt: it is searched for', () => {
    const { known } = afterAttempt(NEVER_SENT, { outcome: 'ambiguous', why: 'time-out' });
    const after = afterAttempt(known, off);
    expect(after.next).toEqual({ step: 'resolve' });
    expect(after.known.tainted).toBe(true);
  });
});

describe('a clean refusal', () => {
  it.each([
    ['bad-request', 'fail'],
    ['beneficiary-not-found', 'hold'],
    ['account-not-found', 'hold'],
    ['account-frozen', 'hold'],
    ['unsupported', 'fail'],
    ['insufficient-funds', 'await-funds'],
    ['unlisted', 'fail'],
  ] as const)('%s leads to %s', (condition, kind) => {
    expect(refusalMeaning(condition).kind).toBe(kind);
    expect(afterAttempt(NEVER_SENT, refused(condition)).next.step).toBe('refused');
  });
});

describe('negative proof', () => {
  const proofFrom = waits.lateCommitMs + waits.listLagMs;
  const scan = (startedAt: number, over: Partial<Search> = {}): Search => ({
    startedAt,
    isEmpty: true,
    ...over,
  });

  it('needs two empty reads begun after the late-commit and list-lag windows', () => {
    expect(provenAbsent([scan(proofFrom), scan(proofFrom + 1)], 0, waits)).toBe(true);
    expect(provenAbsent([scan(proofFrom)], 0, waits)).toBe(false);
    expect(provenAbsent([scan(proofFrom - 1), scan(proofFrom)], 0, waits)).toBe(false);
    expect(provenAbsent([scan(proofFrom, { isEmpty: false }), scan(proofFrom)], 0, waits)).toBe(false);
  });

  it('can be reached on the planned schedule', () => {
    const reads: Search[] = [];
    for (let n = 0; searchDelayMs(n, waits) !== undefined; n += 1) reads.push(scan(searchDelayMs(n, waits) ?? 0));
    expect(provenAbsent(reads, 0, waits)).toBe(true);
    expect(reads[0]?.startedAt).toBe(0);
  });
});

describe('sending the same reference again', () => {
  const tainted = { ...NEVER_SENT, attempts: 1, tainted: true };

  const nothing = { absent: false, stableSearches: 5, isWindowOver: false };
  const proven = { absent: true, stableSearches: 2, isWindowOver: true };

  it('with "assumed" needs the proof, and is done once', () => {
    expect(mayResend('assumed', tainted, nothing)).toBe(false);
    expect(mayResend('assumed', tainted, proven)).toBe(true);
    expect(mayResend('assumed', { ...afterProvenAbsence(tainted), tainted: true }, proven)).toBe(false);
  });

  it('does not count a resend that never left', () => {
    const { known } = afterAttempt(afterUnprovenResend(tainted), { outcome: 'not-sent', why: 'unreachable' });
    expect(known).toEqual({ ...tainted, attempts: 2 });
    const { known: gone } = afterAttempt(afterUnprovenResend(tainted), { outcome: 'ambiguous', why: 'time-out' });
    expect(gone).toMatchObject({ attempts: 2, resends: 1 });
  });

  it('with "none" is never done', () => {
    expect(mayResend('none', tainted, proven)).toBe(false);
  });

  it('leaves the outcome in doubt unless absence is proven: a later refusal may be about our own first order', () => {
    const short = refused('insufficient-funds');
    expect(afterAttempt(afterUnprovenResend(tainted), short).next).toEqual({ step: 'resolve' });
    expect(afterAttempt(afterProvenAbsence(tainted), short).next).toMatchObject({ step: 'refused' });
  });

  it('with "verified" needs one stable read while the bank may still commit, and then the proof', () => {
    expect(mayResend('verified', tainted, { ...nothing, stableSearches: 0 })).toBe(false);
    expect(mayResend('verified', tainted, { ...nothing, stableSearches: 1 })).toBe(true);
    expect(mayResend('verified', tainted, { ...nothing, isWindowOver: true })).toBe(false);
    expect(mayResend('verified', tainted, proven)).toBe(true);
    expect(mayResend('verified', { ...tainted, resends: 5 }, proven)).toBe(false);
  });
});

describe('the bytes of the next attempt', () => {
  const sent = (outcome: AttemptResult['outcome'] | null, expiredAt: number) => ({
    outcome,
    request: {
      accountId: 'a',
      beneficiaryId: 'b',
      payeeDigest: 'of-payee',
      amount: '1.00',
      currency: 'USD',
      expiredAt,
    },
  });

  it.each([
    ['nothing was sent', [], undefined, undefined],
    ['the answer was lost', [sent('ambiguous', 1)], 1, 1],
    ['the sender died', [sent(null, 1)], 1, 1],
    ['the bank has the reference', [sent('exists', 1)], 1, 1],
    ['nothing left the machine after a lost answer', [sent('ambiguous', 1), sent('not-sent', 2)], 1, 1],
    ['the bank refused', [sent('refused', 1), sent('refused', 2)], undefined, 2],
    ['the bank refused the resend of a lost answer', [sent('ambiguous', 1), sent('refused', 2)], 1, 1],
    ['nothing left the machine', [sent('not-sent', 1)], undefined, 1],
  ] as const)('when %s, and what an order is compared with', (_, attempts, repeated, asked) => {
    expect(orderToRepeat(attempts)?.expiredAt).toBe(repeated);
    expect(orderAsked(attempts)?.expiredAt).toBe(asked);
  });
});

describe('2002 under a token that may be dead', () => {
  const suspect: AttemptResult = { outcome: 'not-sent', why: 'token-suspect' };

  it('is sent again a few times, then believed', () => {
    let known = NEVER_SENT;
    const steps = Array.from({ length: TOKEN_EXPIRY_RESENDS_MAX + 1 }, () => {
      const after = afterAttempt(known, suspect);
      known = after.known;
      return after.next.step;
    });
    expect(steps).toEqual([...Array(TOKEN_EXPIRY_RESENDS_MAX).fill('send-again'), 'refused']);
  });
});

describe('what a run knows once it has read the store again', () => {
  const doubt = { ...NEVER_SENT, attempts: 1, tainted: true, lastLeft: 1 };
  const unknown = { ...NEVER_SENT, tainted: true, doubted: [0] };

  it.each([
    ['all that the run has sent', doubt, doubt, false, doubt],
    ['less than the run has sent', doubt, NEVER_SENT, false, { ...doubt, doubted: [0] }],
    [
      'no record of a later attempt that moved nothing',
      { ...doubt, attempts: 3 },
      { ...doubt, attempts: 2, doubted: [1] },
      false,
      { ...doubt, attempts: 3, doubted: [1] },
    ],
    ['nothing of an order that the run has followed', NEVER_SENT, NEVER_SENT, true, unknown],
    ['nothing of what the run was searching for', { ...NEVER_SENT, tainted: true }, NEVER_SENT, false, unknown],
    [
      'that an attempt never left, and had forgotten others before it',
      { ...doubt, attempts: 1, doubted: [0, 1] },
      { ...NEVER_SENT, attempts: 1, doubted: [], unsent: [1] },
      false,
      { ...doubt, attempts: 1, doubted: [0, 1] },
    ],
    [
      'that nothing left, and the run knows of no order',
      { ...doubt, tainted: false },
      { ...NEVER_SENT, attempts: 1 },
      false,
      { ...NEVER_SENT, attempts: 1 },
    ],
    ['more than the run has sent', NEVER_SENT, doubt, false, doubt],
    [
      'that what the run doubts never left',
      { ...doubt, doubted: [1] },
      { ...NEVER_SENT, attempts: 1, doubted: [], unsent: [1] },
      false,
      { ...NEVER_SENT, attempts: 1, doubted: [], unsent: [1] },
    ],
    [
      'that later attempts never left, and nothing of the one that the run doubts',
      { ...doubt, attempts: 3, doubted: [1] },
      { ...NEVER_SENT, attempts: 3, doubted: [], unsent: [2, 3] },
      false,
      { ...doubt, attempts: 3, doubted: [1, 0] },
    ],
    [
      'only attempts that never left, and the run has followed an order',
      { ...doubt, attempts: 3, tainted: false, doubted: [] },
      { ...NEVER_SENT, attempts: 3, doubted: [], unsent: [2, 3] },
      true,
      { ...doubt, attempts: 3, doubted: [0] },
    ],
    [
      'nothing, and the run has proven that nothing came of what it sent, and has not sent it again',
      afterProvenAbsence(doubt),
      NEVER_SENT,
      false,
      { ...doubt, doubted: [0], resends: 0 },
    ],
    [
      'nothing, and what the run has sent again is in doubt',
      { ...doubt, attempts: 2, lastLeft: 2, doubted: [2], resends: 1 },
      NEVER_SENT,
      false,
      { ...doubt, attempts: 2, lastLeft: 2, doubted: [2, 0], resends: 1 },
    ],
  ])('when it shows %s', (_what, known, stored, hasOrder, expected) => {
    expect(mergeWithStored(known, stored, hasOrder)).toEqual(expected);
  });
});

describe('an attempt that gave way to another sender', () => {
  const known = { ...NEVER_SENT, attempts: 1, tainted: true, lastLeft: 1, doubted: [1], resends: 1 };
  const gaveWay = (gaveWayTo: number): AttemptResult => ({ outcome: 'ambiguous', why: 'another sender', gaveWayTo });

  it('counts as nothing where that sender is one that the run has counted: the next one takes its number', () => {
    expect(afterAttempt(known, gaveWay(1))).toEqual({ known: { ...known, resends: 0 }, next: { step: 'resolve' } });
  });

  it('counts as the other one where the run did not know of it', () => {
    const counted = { ...known, attempts: 4, lastLeft: 4, doubted: [1, 4] };
    expect(afterAttempt(known, gaveWay(4))).toEqual({ known: counted, next: { step: 'resolve' } });
  });

  it('is no reason to think that the store has forgotten', () => {
    const { known: after } = afterAttempt({ ...NEVER_SENT, attempts: 1 }, gaveWay(1));
    expect(mergeWithStored(after, { ...NEVER_SENT, attempts: 1, lastLeft: 0, unsent: [1] }, false)).toMatchObject({
      tainted: false,
    });
  });
});

describe('a resend that moved nothing', () => {
  const doubt = { ...NEVER_SENT, attempts: 1, tainted: true, lastLeft: 1, resends: 1 };

  it.each<[string, AttemptResult]>([
    ['unreachable', { outcome: 'not-sent', why: 'unreachable' }],
    ['switched off', { outcome: 'not-sent', why: 'switched-off', scope: 'everything' }],
    ['changed', { outcome: 'not-sent', why: 'changed' }],
    ['refused', refused('account-frozen')],
  ])('is not counted as one: %s', (_why, result) => {
    const { known, next } = afterAttempt(doubt, result);
    expect(known).toEqual({ ...doubt, attempts: 2, resends: 0 });
    expect(next).toEqual({ step: 'resolve' });
  });
});

describe('refusals in a row', () => {
  const short = refused('insufficient-funds');
  const attempt = (number: number, outcome: AttemptResult['outcome']) => ({ attempt: number, outcome, resolved: null });

  it('count as repeated from the fifth on, also when they are read from the store', () => {
    let known = NEVER_SENT;
    const repeated = Array.from({ length: REFUSALS_BELIEVED }, () => {
      const after = afterAttempt(known, short);
      known = after.known;
      return after.next;
    }).map((next) => next.step === 'refused' && next.isRepeated);
    expect(repeated).toEqual([false, false, false, false, true]);
    const stored = submissionOf(Array.from({ length: 4 }, (_, index) => attempt(index + 1, 'refused')));
    expect(afterAttempt(stored, short).next).toMatchObject({ step: 'refused', isRepeated: true });
  });

  it('are counted anew after an attempt that may have been executed', () => {
    expect(submissionOf([attempt(1, 'refused'), attempt(2, 'accepted'), attempt(3, 'refused')]).refusals).toBe(1);
    const { known } = afterAttempt({ ...NEVER_SENT, refusals: 4 }, { outcome: 'ambiguous', why: 'time-out' });
    expect(known.refusals).toBe(0);
  });
});
