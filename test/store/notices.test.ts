import { expect, it } from 'vitest';
import { payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

onEveryStore('reminders', (test) => {
  it('are recorded once for each wait, with an event', async () => {
    const store = await test.open();
    const { record } = await store.claimPayout(payoutClaim('INV-1'));
    const { reference, uid } = record;
    const waits = (at: number) => store.changePayout(reference, { state: 'awaiting-approval', reason: null, at });
    const found = async (since: number) =>
      (await store.notReminded({ state: 'awaiting-approval', since, limit: 9 })).map(({ stateSince }) => stateSince);
    await waits(5_000);
    expect([await found(4_999), await found(5_000)]).toEqual([[], [5_000]]);
    const reminder = { reference, stateSince: 5_000, until: 9_000 };
    expect(await store.recordReminder(reminder, 7_000)).toBe(true);
    expect(await store.recordReminder(reminder, 7_001)).toBe(false);
    expect(await found(6_000)).toEqual([]);
    await store.changePayout(reference, { state: 'submitting', reason: null, at: 7_500 });
    await waits(8_000);
    expect(await store.recordReminder(reminder, 8_000)).toBe(false);
    expect(await found(8_000)).toEqual([8_000]);
    expect(await store.recordReminder({ reference, stateSince: 8_000, until: 12_000 }, 10_000)).toBe(true);
    expect(await store.reminderOf(reference)).toEqual({ reference, stateSince: 8_000, until: 12_000 });
    const events = await store.outboxEvents({ kinds: ['payout.reminder'], after: 0, limit: 9 });
    expect(events.map(({ subject, uid: whose, at }) => [subject, whose, at])).toEqual([
      [reference, uid, 7_000],
      [reference, uid, 10_000],
    ]);
  });
});
