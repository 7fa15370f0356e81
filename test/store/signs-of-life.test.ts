import { expect, it } from 'vitest';
import { payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

const SENDER = { senderId: 'one', machine: 'm', boot: 'b', pid: 7, processMark: 'p', place: '/s', placeMark: '1:1' };

onEveryStore('signs of life', (test) => {
  it('say which parts did not answer, the last word counting', async () => {
    const store = await test.open();
    await store.registerSender({ ...SENDER, pulses: 0, aliveAt: 1_000 });
    const outages = { bank: { since: 900, cause: 'nothing-listens' } } as const;
    expect(await store.recordPulse({ senderId: 'one', pulses: 0, at: 2_000, outages })).toBe(true);
    expect(await store.signsOfLife()).toEqual([{ aliveAt: 2_000, endedAt: null, outages }]);
    expect(await store.recordPulse({ senderId: 'one', pulses: 1, at: 3_000, outages: {} })).toBe(true);
    expect(await store.signsOfLife()).toEqual([{ aliveAt: 3_000, endedAt: null, outages: null }]);
    // What a sender is recognised by has nothing of it.
    expect(await store.senders()).toEqual([{ ...SENDER, pulses: 2, aliveAt: 3_000, endedAt: null }]);
  });

  it('matter to payouts that go on without people', async () => {
    const store = await test.open();
    for (const [id, state] of [
      ['a', 'processing'],
      ['b', 'held'],
      ['c', 'awaiting-funds'],
      ['d', 'completed'],
      ['e', 'scheduled'],
    ] as const) {
      const { reference } = (await store.claimPayout(payoutClaim(id))).record;
      await store.changePayout(reference, { state, at: 3_000 });
    }
    expect(await store.countMoving()).toBe(1);
  });
});
