import { expect, it } from 'vitest';
import { documentIds } from './samples.ts';
import { onEveryStore } from './stores.ts';

const SENT = { reference: 'ref', attempt: 1, runId: 'run-1', activityId: '7', sentAt: 1_000 };

onEveryStore('Send attempts', (test) => {
  it('are recorded once and keep the first sender', async () => {
    const store = await test.open();
    expect(await store.recordAttempt(SENT)).toBe(true);
    expect(await store.recordAttempt({ ...SENT, runId: 'run-2', sentAt: 2_000 })).toBe(false);
    expect(await store.attempts('ref')).toEqual([{ ...SENT, outcome: null, orderId: null, code: null, request: null }]);
  });

  it('are recorded by exactly one of many senders at the same time', async () => {
    const stores = await Promise.all([test.open(), test.open()]);
    const recorded = await Promise.all(
      documentIds(20, 'run').map((runId, index) => stores[index % 2]?.recordAttempt({ ...SENT, runId })),
    );
    expect(recorded.filter((won) => won)).toHaveLength(1);
  });

  it('keep their result, and only theirs', async () => {
    const store = await test.open();
    await store.recordAttempt(SENT);
    await store.recordAttempt({ ...SENT, attempt: 2, sentAt: 2_000 });
    await store.recordAttempt({ ...SENT, attempt: 3, sentAt: 3_000 });
    await store.finishAttempt('ref', 1, { outcome: 'refused', code: 2010 });
    await store.finishAttempt('ref', 3, { outcome: 'accepted', orderId: 'o-1' });
    expect(
      (await store.attempts('ref')).map(({ attempt, outcome, orderId, code }) => [attempt, outcome, orderId, code]),
    ).toEqual([
      [1, 'refused', null, 2010],
      [2, null, null, null],
      [3, 'accepted', 'o-1', null],
    ]);
  });

  it('keep the bytes they were sent with', async () => {
    const store = await test.open();
    const request = { accountId: 'a', beneficiaryId: 'b', amount: '1.00', currency: 'USD', expiredAt: 7, note: 'n' };
    await store.recordAttempt({ ...SENT, request });
    expect((await store.attempts('ref'))[0]?.request).toEqual(request);
  });

  it('are seen by another connection as soon as they are recorded', async () => {
    const [writer, reader] = [await test.open(), await test.open()];
    await writer.recordAttempt(SENT);
    expect(await reader.attempts('ref')).toHaveLength(1);
  });
});
