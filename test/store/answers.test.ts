import { expect, it } from 'vitest';
import type { AnsweredTransaction } from '../../src/store/store.ts';
import { onEveryStore } from './stores.ts';

const ANSWER = { batchId: 'batch-1', version: 1, messageId: 'A-1', supersedes: null, createdAt: 1_000 };
const told = (count: number): AnsweredTransaction[] =>
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
  it('are kept with what they told, in order, whatever their size', async () => {
    const store = await test.open();
    expect(await store.recordAnswer(ANSWER, told(1_201))).toBe(true);
    expect(await store.answersOf('batch-1')).toEqual([ANSWER]);
    expect(await Array.fromAsync(store.answeredTransactions('batch-1', 1))).toEqual(told(1_201));
    expect(await Array.fromAsync(store.answeredTransactions('batch-1', 2))).toEqual([]);
  });

  it('are given once a version, and never changed', async () => {
    const store = await test.open();
    await store.recordAnswer(ANSWER, told(2));
    expect(await store.recordAnswer({ ...ANSWER, messageId: 'other' }, told(3))).toBe(false);
    const second = { ...ANSWER, version: 2, messageId: 'A-2', supersedes: 'A-1' };
    expect(await store.recordAnswer(second, told(1))).toBe(true);
    expect(await store.answersOf('batch-1')).toEqual([ANSWER, second]);
    expect(await Array.fromAsync(store.answeredTransactions('batch-1', 1))).toEqual(told(2));
    expect(await store.answersOf('batch-2')).toEqual([]);
  });
});
