import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { because } from '../../src/domain/reasons.ts';
import type { OutboxEvent, Store } from '../../src/store/store.ts';
import { batchClaim, payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

const all = (store: Store): Promise<OutboxEvent[]> => store.outboxEvents({ after: 0, limit: 1_000 });

/** A payout under a claim of its own. */
async function claimed(store: Store, id: string): Promise<{ reference: string; term: number }> {
  const { record } = await store.claimPayout(payoutClaim(id));
  return record;
}

onEveryStore('the outbox', (test) => {
  it('has an event for a state in which people must act, once for each reason', async () => {
    const store = await test.open();
    const { reference, term } = await claimed(store, 'a');
    const held = { term, state: 'held' as const, reason: because('look-alike') };
    await store.changePayout(reference, { ...held, at: 5 });
    await store.changePayout(reference, { ...held, at: 6 });
    await store.changePayout(reference, { ...held, reason: because('account-frozen'), at: 7 });
    await store.changePayout(reference, { term, state: 'processing', reason: null, at: 8 });
    await store.changePayout(reference, { ...held, at: 9 });
    const attention = { kind: 'payout.attention', subject: reference, uid: 'user-1' };
    expect(await all(store)).toEqual([
      { ...attention, position: 1, at: 5 },
      { ...attention, position: 2, at: 7 },
      { ...attention, position: 3, at: 9 },
    ]);
  });

  it('has none for a wait that no one can shorten, nor for a write that came too late', async () => {
    const store = await test.open();
    const { reference, term } = await claimed(store, 'a');
    await store.changePayout(reference, { term, state: 'held', reason: because('card-payment-open'), at: 5 });
    expect(await store.changePayout(reference, { term: term + 1, state: 'needs-operator', at: 6 })).toBe(false);
    expect(await all(store)).toEqual([]);
  });

  it('has an event for every end, however it is stored', async () => {
    const store = await test.open();
    const [paid, failed] = [await claimed(store, 'paid'), await claimed(store, 'failed')];
    await store.changePayout(paid.reference, { term: paid.term, state: 'completed', at: 5 });
    expect(await store.changePayout(paid.reference, { term: paid.term, state: 'completed', at: 6 })).toBe(false);
    const { reference, term } = failed;
    const end = { state: 'failed' as const, reason: because('refused-by-bank'), resolved: {}, references: [reference] };
    await store.closeUnpaid({ reference, term, ...end, at: 7 });
    await store.claimBatch(batchClaim('b1', ['x', 'y']));
    await store.cancelUnreleased('b1', null, because('batch-cancelled'), 8);
    const events = await all(store);
    expect(events.map(({ kind, at }) => [kind, at])).toEqual([
      ['payout.ended', 5],
      ['payout.ended', 7],
      ['payout.ended', 8],
      ['payout.ended', 8],
    ]);
    expect(events.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
    expect(events.slice(0, 2).map(({ subject }) => subject)).toEqual([paid.reference, reference]);
  });

  it('has an event for every step of a payout on its way: approved, submitted, ended or rejected', async () => {
    const store = await test.open();
    const { reference, term } = await claimed(store, 'a');
    const approvals = { reference, digest: 'd', by: ['bob'] };
    for (const at of [3, 4]) await store.recordApprovals({ ...approvals, at });
    await store.changePayout(reference, { term, state: 'converting', reason: null, at: 5 });
    const accepted = { term, state: 'processing', reason: null, orderId: 'o-1' } as const;
    for (const at of [6, 7]) await store.changePayout(reference, { ...accepted, at });
    await store.changePayout(reference, { term, state: 'awaiting-bank-approval', orderId: 'o-1', at: 8 });
    expect(await store.changePayout(reference, { ...accepted, term: term + 1, orderId: 'o-2', at: 9 })).toBe(false);
    const end = { state: 'rejected' as const, reason: because('bank-rejected'), resolved: {} };
    await store.closeUnpaid({ reference, term, ...end, references: [reference], at: 10 });
    expect((await all(store)).map(({ kind, subject, uid, at }) => [kind, subject, uid, at])).toEqual(
      [
        ['payout.approved', 3],
        ['payout.submitted', 6],
        ['payout.attention', 8],
        ['payout.rejected', 10],
        ['payout.ended', 10],
      ].map(([kind, at]) => [kind, reference, 'user-1', at]),
    );
  });

  it('has an event for a return, an incident, and a batch that is paused by itself or settled', async () => {
    const store = await test.open();
    const { reference } = await claimed(store, 'a');
    const back = { orderId: 'o-1', reference, amount: '1.00', currency: 'USD', seenAt: 5 };
    const incident = { kind: 'second-order', reference, orderId: 'o-2', seenAt: 6 } as const;
    await store.claimBatch(batchClaim('b1', []));
    const paused = { batchId: 'b1', control: 'paused', by: 'alice' } as const;
    for (const _ of [1, 2]) {
      await store.recordReturn(back);
      await store.recordIncident(incident);
    }
    await store.controlBatch({ ...paused, at: 7 });
    await store.controlBatch({ ...paused, reason: 'a canary row failed', at: 8 });
    await store.endBatch('b1', 9);
    await store.endBatch('b1', 10);
    await store.reopenBatch('b1');
    await store.endBatch('b1', 11);
    expect((await all(store)).map(({ position: _, ...event }) => event)).toEqual([
      { kind: 'payout.returned', subject: reference, uid: 'user-1', at: 5 },
      { kind: 'payout.incident', subject: reference, uid: 'user-1', at: 6 },
      { kind: 'batch.attention', subject: 'b1', uid: null, at: 8 },
      { kind: 'batch.ended', subject: 'b1', uid: null, at: 9 },
      { kind: 'batch.ended', subject: 'b1', uid: null, at: 11 },
    ]);
  });

  it('gives what a filter lets through: kinds, users, positions', async () => {
    const store = await test.open();
    for (const id of ['a', 'b']) {
      const { reference, term } = await claimed(store, id);
      await store.changePayout(reference, { term, state: 'needs-operator', at: 1 });
      await store.changePayout(reference, { term, state: 'completed', at: 2 });
    }
    const positions = async (filter: Partial<Parameters<Store['outboxEvents']>[0]>): Promise<number[]> =>
      (await store.outboxEvents({ after: 0, limit: 10, ...filter })).map(({ position }) => position);
    expect(await positions({ kinds: ['payout.ended'] })).toEqual([2, 4]);
    expect(await positions({ uids: ['user-2'] })).toEqual([]);
    expect(await positions({ uids: ['user-1'], after: 1, upTo: 3 })).toEqual([2, 3]);
    expect((await store.outboxEventsAt([4, 1])).map(({ position }) => position)).toEqual([1, 4]);
    expect(await store.outboxHead()).toBe(4);
  });

  it('numbers what several connections write at once without gaps, and shows nothing before what is in front of it', async () => {
    const stores = await Promise.all([test.open(), test.open(), test.open()]);
    const rows = await Promise.all(Array.from({ length: 30 }, (_, n) => claimed(stores[0] as Store, `doc-${n}`)));
    const reader = stores[2] as Store;
    let seen = 0;
    const reading = (async () => {
      while (seen < rows.length) {
        const events = await all(reader);
        expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
        seen = events.length;
        await setImmediate();
      }
    })();
    const write = ({ reference, term }: (typeof rows)[number], index: number): Promise<unknown> =>
      (stores[index % 2] as Store).changePayout(reference, { term, state: 'completed', at: index });
    await Promise.all([reading, ...rows.map(write)]);
    expect(seen).toBe(rows.length);
  });
});

onEveryStore('subscriptions', (test) => {
  const asked = { name: 'erp', owner: 'one', now: 1_000, until: 2_000 };

  it('begin behind the last event, and belong to one sender until its time is over', async () => {
    const store = await test.open();
    const { reference, term } = await claimed(store, 'a');
    await store.changePayout(reference, { term, state: 'completed', at: 1 });
    expect(await store.leaseSubscription(asked)).toMatchObject({
      name: 'erp',
      position: 1,
      failures: 0,
      parkedAt: null,
    });
    expect(await store.leaseSubscription({ ...asked, owner: 'two', now: 1_999 })).toBeUndefined();
    expect(await store.leaseSubscription({ ...asked, now: 1_500, until: 2_500 })).toBeDefined();
    expect(await store.leaseSubscription({ ...asked, owner: 'two', now: 2_500, until: 3_000 })).toBeDefined();
    expect(await store.recordDeliveryProgress({ name: 'erp', owner: 'one', from: 1 }, { position: 2 })).toBe(false);
    await store.releaseSubscription({ name: 'erp', owner: 'one' });
    expect(await store.leaseSubscription({ ...asked, now: 2_600 })).toBeUndefined();
    await store.releaseSubscription({ name: 'erp', owner: 'two' });
    expect(await store.leaseSubscription({ ...asked, now: 2_600 })).toBeDefined();
  });

  it('move with what was refused in one piece, and are set back by a replay, which a sender under way notices', async () => {
    const store = await test.open();
    await store.leaseSubscription(asked);
    const refused = { subject: 's', since: 5, failures: 1, why: 'http-400', nextTryAt: 9, parkedAt: null };
    const mine = { name: 'erp', owner: 'one' };
    const moved = {
      position: 7,
      refused: [
        { ...refused, position: 3 },
        { ...refused, position: 6 },
      ],
    };
    expect(await store.recordDeliveryProgress({ ...mine, from: 0 }, moved)).toBe(true);
    expect(await store.recordDeliveryProgress({ ...mine, from: 0 }, { position: 8, resolved: [3] })).toBe(false);
    const again = { position: 7, resolved: [3], refused: [{ ...refused, position: 6, failures: 2, parkedAt: 8 }] };
    expect(await store.recordDeliveryProgress({ ...mine, from: 7 }, again)).toBe(true);
    expect(await store.refusedEvents('erp')).toEqual([{ ...refused, position: 6, failures: 2, parkedAt: 8 }]);
    await store.recordDeliveryProgress(
      { ...mine, from: 7 },
      { parkedAt: 9, failures: 3, failingSince: 1, why: 'gone' },
    );
    expect(await store.replaySubscription({ name: 'erp', from: 5, by: 'alice', at: 10 })).toBe('replayed');
    expect(await store.recordDeliveryProgress({ ...mine, from: 7 }, { position: 9 })).toBe(false);
    expect(await store.refusedEvents('erp')).toEqual([]);
    expect(await store.subscriptions()).toEqual([
      {
        name: 'erp',
        position: 4,
        failures: 0,
        failingSince: null,
        why: null,
        nextTryAt: null,
        parkedAt: null,
        deliveredAt: null,
      },
    ]);
    expect(await store.auditEntriesOf('erp')).toMatchObject([
      { actor: 'alice', action: 'events replayed', detail: { from: '5' } },
    ]);
    expect(await store.replaySubscription({ name: 'nobody', from: 1, by: 'alice', at: 10 })).toBe('unknown');
  });

  it('are forgotten with what they refused, on record', async () => {
    const store = await test.open();
    await store.leaseSubscription(asked);
    const refused = { subject: 's', since: 5, failures: 1, why: 'http-400', nextTryAt: 9, parkedAt: null, position: 3 };
    await store.recordDeliveryProgress({ name: 'erp', owner: 'one', from: 0 }, { position: 3, refused: [refused] });
    expect(await store.forgetSubscription({ name: 'erp', by: 'alice', at: 10 })).toBe(true);
    expect([await store.subscriptions(), await store.refusedEvents('erp')]).toEqual([[], []]);
    expect(await store.auditEntriesOf('erp')).toMatchObject([{ actor: 'alice', action: 'events forgotten' }]);
    expect(await store.forgetSubscription({ name: 'erp', by: 'alice', at: 11 })).toBe(false);
  });
});

onEveryStore('deleting events', (test) => {
  /** Six events, at 1 to 6, and a subscription that received the first four. */
  async function reported(): Promise<Store> {
    const store = await test.open();
    await store.leaseSubscription({ name: 'erp', owner: 'one', now: 1, until: 100 });
    for (const n of [1, 2, 3, 4, 5, 6]) {
      const { reference, term } = await claimed(store, `doc-${n}`);
      await store.changePayout(reference, { term, state: 'completed', at: n });
    }
    await store.recordDeliveryProgress({ name: 'erp', owner: 'one', from: 0 }, { position: 4 });
    return store;
  }
  const positions = async (store: Store): Promise<number[]> => (await all(store)).map(({ position }) => position);

  it('takes those that every subscription has received and that are old enough, from the first on, a few at a time', async () => {
    const store = await reported();
    expect(await store.pruneOutbox({ before: 4, limit: 2 })).toBe(2);
    expect([await positions(store), await store.outboxTail()]).toEqual([[3, 4, 5, 6], 2]);
    expect(await store.pruneOutbox({ before: 4, limit: 2 })).toBe(1);
    expect(await store.pruneOutbox({ before: 4, limit: 2 })).toBe(0);
    expect([await positions(store), await store.outboxTail()]).toEqual([[4, 5, 6], 3]);
    expect(await store.pruneOutbox({ before: 100, limit: 10 })).toBe(1);
    expect(await positions(store)).toEqual([5, 6]);
  });

  it('takes nothing that one of several subscriptions has not received, and all where there is none', async () => {
    const store = await reported();
    await store.leaseSubscription({ name: 'late', owner: 'one', now: 1, until: 100 });
    await store.replaySubscription({ name: 'late', from: 2, by: 'alice', at: 9 });
    expect(await store.pruneOutbox({ before: 100, limit: 10 })).toBe(1);
    expect(await positions(store)).toEqual([2, 3, 4, 5, 6]);
    for (const name of ['late', 'erp']) await store.forgetSubscription({ name, by: 'alice', at: 10 });
    expect(await store.pruneOutbox({ before: 100, limit: 10 })).toBe(5);
    expect(await positions(store)).toEqual([]);
  });

  it('leaves what one has refused, and a replay from what is deleted is none', async () => {
    const store = await reported();
    const refused = { subject: 's', since: 5, failures: 1, why: 'http-400', nextTryAt: 9, parkedAt: 8, position: 2 };
    await store.recordDeliveryProgress({ name: 'erp', owner: 'one', from: 4 }, { refused: [refused] });
    expect(await store.pruneOutbox({ before: 100, limit: 10 })).toBe(4);
    expect(await positions(store)).toEqual([2, 5, 6]);
    const replay = { name: 'erp', by: 'alice', at: 10 };
    expect(await store.replaySubscription({ ...replay, from: 4 })).toBe('deleted');
    expect(await store.subscriptions()).toMatchObject([{ position: 4 }]);
    expect(await store.replaySubscription({ ...replay, from: 5 })).toBe('replayed');
  });

  it('by several connections at once goes over each event once, and keeps numbers going', async () => {
    const store = await reported();
    const other = await test.open();
    const over = await Promise.all([store, other, store, other].map((it) => it.pruneOutbox({ before: 100, limit: 2 })));
    expect(over.reduce((sum, some) => sum + some, 0)).toBe(4);
    const { reference, term } = await claimed(store, 'later');
    await store.changePayout(reference, { term, state: 'completed', at: 7 });
    expect([await positions(store), await store.outboxTail()]).toEqual([[5, 6, 7], 4]);
  });
});
