import { expect, it } from 'vitest';
import { batchClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

onEveryStore('When senders began anew with a store', (test) => {
  it('is unknown until a sender has opened it', async () => {
    expect(await (await test.open()).resumed()).toBeUndefined();
  });

  it('is the last time, with an entry in the audit log for each', async () => {
    const store = await test.open();
    await store.recordResumption({ at: 1_000, from: 0, why: 'new', detail: {} });
    await store.recordResumption({ at: 2_000, from: 500, why: 'restart', detail: { machine: 'a1' } });
    expect((await (await test.open()).resumed())?.at).toBe(2_000);
    expect(await store.auditEntriesOf('store')).toMatchObject([
      { at: 1_000, action: 'resume', detail: { why: 'new', from: '1970-01-01T00:00:00.000Z' } },
      { at: 2_000, action: 'resume', detail: { why: 'restart', machine: 'a1' } },
    ]);
  });

  it.each([
    ['that was never read: since all of them', undefined, 0],
    ['read before the second: since the second', 1_500, 400],
    ['read in the moment of the second: only since the third', 2_000, 2_500],
    ['read since the last: since the last', 9_000, 2_500],
  ])('reaches back, for a list %s', async (_, lastRead, from) => {
    const store = await test.open();
    await store.recordResumption({ at: 1_000, from: 0, why: 'new', detail: {} });
    await store.recordResumption({ at: 2_000, from: 400, why: 'restart', detail: {} });
    await store.recordResumption({ at: 3_000, from: 2_500, why: 'restart', detail: {} });
    expect(await store.resumed(lastRead)).toEqual({ at: 3_000, from });
  });

  it('is not in the future, where a wrong clock had set it', async () => {
    const store = await test.open();
    await store.recordResumption({ at: 9_000, from: 300, why: 'restart', detail: {} });
    await store.recordResumption({ at: 1_000, from: 500, why: 'gap', detail: {} });
    expect(await store.resumed(999)).toEqual({ at: 1_000, from: 300 });
  });

  it('is also when it was restored', async () => {
    const store = await test.open();
    await store.recordResumption({ at: 1_000, from: 500, why: 'restart', detail: {} });
    await store.recordRestore({ at: 2_000, from: 300, by: 'olga', detail: {} });
    expect(await store.resumed()).toEqual({ at: 2_000, from: 0 });
  });
});

onEveryStore('Who sends from a store', (test) => {
  const SENDER = {
    ...{ senderId: 'one', machine: 'm', boot: 'b', place: '/store.sqlite', placeMark: '7:1' },
    ...{ pid: 3, processMark: '9', pulses: 0, aliveAt: 1_000 },
  };

  it('is shown with its signs of life, the last one first, until it ends', async () => {
    const store = await test.open();
    expect(await store.senders()).toEqual([]);
    await store.registerSender(SENDER);
    await store.registerSender({ ...SENDER, senderId: 'two', aliveAt: 1_500 });
    expect(await store.recordPulse({ senderId: 'one', pulses: 0, at: 2_000 })).toBe(true);
    expect(await store.pulsesOf('one')).toBe(1);
    expect(await store.pulsesOf('nobody')).toBeUndefined();
    await store.recordPulse({ senderId: 'two', pulses: 0, at: 1_900, ends: true });
    expect(await store.senders()).toEqual([
      { ...SENDER, pulses: 1, aliveAt: 2_000, endedAt: null },
      { ...SENDER, senderId: 'two', pulses: 1, aliveAt: 1_900, endedAt: 1_900 },
    ]);
    expect(await store.extent()).toEqual({ batches: 0, payouts: 0, firstAt: null, usedAt: 2_000 });
  });

  it('gives no sign of life that follows another one than the last, nor one of a sender that is not known', async () => {
    const store = await test.open();
    await store.registerSender({ ...SENDER, pulses: 4 });
    expect(await store.recordPulse({ senderId: 'one', pulses: 5, at: 2_000 })).toBe(false);
    expect(await store.recordPulse({ senderId: 'two', pulses: 0, at: 2_000 })).toBe(false);
    expect(await store.pulsesOf('one')).toBe(4);
  });

  it('is forgotten after some years', async () => {
    const store = await test.open();
    await store.registerSender(SENDER);
    await store.registerSender({ ...SENDER, senderId: 'two', aliveAt: 800 * 86_400_000 });
    expect(await store.senders()).toHaveLength(2);
    await store.registerSender({ ...SENDER, senderId: 'three', aliveAt: 801 * 86_400_000 });
    expect((await store.senders()).map(({ senderId }) => senderId)).toEqual(['three', 'two']);
  });
});

onEveryStore('How much a store holds', (test) => {
  it('is known without reading it', async () => {
    const store = await test.open();
    expect(await store.extent()).toEqual({ batches: 0, payouts: 0, firstAt: null, usedAt: null });
    await store.claimBatch(batchClaim('b-1', ['a', 'b']));
    expect(await store.extent()).toMatchObject({ batches: 1, payouts: 2, firstAt: expect.any(Number) });
  });

  it('and on PostgreSQL which database it is', async ({ skip }) => {
    skip(!test.url().startsWith('postgres'));
    const { name, mark } = await (await test.open()).databaseMark();
    expect(test.url()).toContain(name);
    expect(mark).toMatch(/^database \d+$/);
  });
});
