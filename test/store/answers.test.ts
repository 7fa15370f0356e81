import { expect, it } from 'vitest';
import { because } from '../../src/domain/reasons.ts';
import type { AnsweredTransaction } from '../../src/store/store.ts';
import { claimRowsOf } from '../files/intake/rows.ts';
import { onEveryStore } from './stores.ts';

const ANSWER = { batchId: 'batch-1', version: 1, messageId: 'A-1', supersedes: null, createdAt: 1_000 };
const reported = (count: number): AnsweredTransaction[] =>
  Array.from({ length: count }, (_, position) => ({
    position,
    facts: {
      original: { payment: 0, endToEndId: `E-${position}`, amount: '1.00', currency: 'EUR' },
      state: 'completed',
      reason: null,
      orderId: `o-${position}`,
    },
  }));

onEveryStore('Answers', (test) => {
  it('are kept with what they reported, in order, at any size', async () => {
    const store = await test.open();
    expect(await store.recordAnswer(ANSWER, reported(1_201))).toBe(true);
    expect(await store.answersOf('batch-1')).toEqual([ANSWER]);
    expect(await Array.fromAsync(store.answeredTransactions('batch-1', 1))).toEqual(reported(1_201));
    expect(await Array.fromAsync(store.answeredTransactions('batch-1', 2))).toEqual([]);
  });

  it('are given once a version, and never changed', async () => {
    const store = await test.open();
    await store.recordAnswer(ANSWER, reported(2));
    expect(await store.recordAnswer({ ...ANSWER, messageId: 'other' }, reported(3))).toBe(false);
    const second = { ...ANSWER, version: 2, messageId: 'A-2', supersedes: 'A-1' };
    expect(await store.recordAnswer(second, reported(1))).toBe(true);
    expect(await store.answersOf('batch-1')).toEqual([ANSWER, second]);
    expect(await Array.fromAsync(store.answeredTransactions('batch-1', 1))).toEqual(reported(2));
    expect(await store.answersOf('batch-2')).toEqual([]);
  });

  it('know of which batches something has come to light', async () => {
    const store = await test.open();
    const claimed = claimRowsOf({ id: 'a' }, { id: 'b' });
    const [a, b] = claimed.map(({ reference }) => reference);
    await store.claimBatch({ batchId: 'batch-1', file: 'm.xml', sha256: 'x', by: null, rows: claimed, at: 1_000 });
    await store.recordReturn({ reference: a ?? '', orderId: 'r-1', amount: '1.00', currency: 'USD', seenAt: 5_000 });
    expect(await store.newsOfAnswered()).toEqual([]);
    await store.recordAnswer(ANSWER, reported(2));
    await store.recordAnswer({ ...ANSWER, version: 2 }, reported(1));
    expect(await store.newsOfAnswered()).toEqual([]);
    await store.cancelUnreleased('batch-1', null, because('batch-cancelled'), 1_500);
    await store.endBatch('batch-1', 2_000);
    expect(await store.newsOfAnswered()).toEqual([{ batchId: 'batch-1', at: 5_000 }]);
    await store.recordIncident({ kind: 'second-order', reference: b ?? '', orderId: 'o-9', seenAt: 7_000 });
    expect(await store.newsOfAnswered()).toEqual([{ batchId: 'batch-1', at: 7_000 }]);
  });
});
