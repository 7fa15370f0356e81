import { expect, it } from 'vitest';
import { both, demandedRead, hasWaited, SENDER_LIFE_MS } from '../../src/domain/submission.ts';

const HOUR_MS = 3_600_000;
const NOW = 100 * HOUR_MS;
const CURRENT_MS = 2 * 60_000;
const LAG_MS = 120_000;

it('nothing is demanded before the first send of a document', () => {
  expect(demandedRead([], 0, [], { now: NOW, listLagMs: LAG_MS })).toBeUndefined();
});

it.each([
  [
    'long ago: it may be as old as reads get',
    [{ outcome: 'ambiguous', sentAt: HOUR_MS, answeredAt: HOUR_MS + 5 }],
    NOW - CURRENT_MS,
  ],
  ['just now: it began after the answer', [{ outcome: 'not-sent', sentAt: NOW - 50, answeredAt: NOW - 20 }], NOW - 20],
  [
    'and refused: it may show only after its lag what was done all the same',
    [{ outcome: 'refused', sentAt: NOW - 50, answeredAt: NOW - 20 }],
    NOW - 20 + LAG_MS,
  ],
  [
    'without an answer: it began after its sender',
    [{ outcome: null, sentAt: NOW - 50, answeredAt: null }],
    NOW - 50 + SENDER_LIFE_MS,
  ],
])('before a second send of a reference, the whole list is read: one sent %s', (_, attempts, after) => {
  expect(demandedRead(attempts, 0, [], { now: NOW, listLagMs: LAG_MS })).toEqual({ after, from: 0 });
});

it.each([
  ['that ended just now', [{ createdAt: 1, endedAt: NOW - 7 }], NOW - 7],
  ['that ended long ago', [{ createdAt: 1, endedAt: 2 }], NOW - CURRENT_MS],
  ['that the store does not have', [], NOW - CURRENT_MS],
])('before a reference of a further generation: after one %s', (_, earlier, after) => {
  expect(demandedRead([], 1, earlier, { now: NOW, listLagMs: LAG_MS })).toEqual({ after, from: 0 });
});

it('a run that pays a document again reads from then on', () => {
  expect(demandedRead([], 1, [], { now: NOW, begunAfter: NOW - 3, listLagMs: LAG_MS })).toEqual({
    after: NOW - 3,
    from: 0,
  });
});

it('two reads are one that began after both and reaches back as far as either', () => {
  expect(both({ after: 5, from: 9 }, { after: 7, from: 2 })).toEqual({ after: 7, from: 2 });
  expect(both(undefined, { after: 7, from: 2 })).toEqual({ after: 7, from: 2 });
});

it('before the first send of a row that has waited: meanwhile another store may have sent it', () => {
  expect([hasWaited(NOW, NOW - CURRENT_MS), hasWaited(NOW, NOW - CURRENT_MS - 1)]).toEqual([false, true]);
  expect(demandedRead([], 0, [], { now: NOW, listLagMs: LAG_MS, isOlder: true })).toEqual({
    after: NOW - CURRENT_MS,
    from: 0,
  });
});
