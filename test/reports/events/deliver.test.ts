import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventType } from '../../../src/domain/events-out.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import { REFUSED_MAX } from '../../../src/reports/events/deliver.ts';
import type { Store } from '../../../src/store/store.ts';
import { NAME, Sending } from './sending.ts';

let sending: Sending;

beforeEach(async () => {
  sending = await Sending.start();
});
afterEach(() => sending[Symbol.asyncDispose]());

describe('a receiver that is down for a day', () => {
  /** A thousandth of a million events: 500 payouts that need people and then end, in the 24 hours of the outage. */
  const PAYOUTS = 500;

  it('receives everything that still holds when it is back, nothing that is over, each subject in its order', async () => {
    const { receiver, store } = sending;
    receiver.answer = () => 503;
    const ended = new Set<string>();
    const waiting = new Set<string>();
    for (let n = 0; n < PAYOUTS; n += 1) {
      const { reference, end } = await sending.stuck(`doc-${n}`);
      if (n % 5 === 0) waiting.add(reference);
      else {
        await end();
        ended.add(reference);
      }
      await sending.deliverFor(DAY_MS / PAYOUTS);
    }
    expect(receiver.taken).toEqual([]);
    expect((await store.outboxHead()) - (await sending.state()).position).toBe(PAYOUTS + ended.size);
    // An attempt each quarter of an hour at most, not one for every event.
    expect(receiver.asked.length).toBeLessThan(150);

    const wrong: string[] = [];
    receiver.answer = async ({ event: { type, data } }) => {
      const row = 'reference' in data ? await store.payout(data.reference) : undefined;
      const isAttention = type === eventType('payout.attention');
      if (row?.state !== (data as { state: string }).state || isAttention !== (row.state === 'needs-operator')) {
        wrong.push(type);
      }
      return 200;
    };
    await sending.deliverFor(HOUR_MS);
    expect(wrong).toEqual([]);
    expect(sending.reported().sort()).toEqual(
      [
        ...[...ended].map((reference) => `payout.ended ${reference}`),
        ...[...waiting].map((reference) => `payout.attention ${reference}`),
      ].sort(),
    );
    expect(await sending.state()).toMatchObject({ position: PAYOUTS + ended.size, failures: 0, failingSince: null });
    // Nobody's row but the subscription's own grew by them.
    expect(await store.refusedEvents(NAME)).toEqual([]);
  });

  it('is asked again with growing pauses, as long as it asks for itself, and never before', async () => {
    await sending.stuck('a');
    const { receiver } = sending;
    const at: number[] = [];
    receiver.answer = () => {
      at.push(sending.now);
      return at.length === 3 ? { status: 503, headers: { 'retry-after': '3600' } } : 503;
    };
    await sending.deliverFor(3 * HOUR_MS);
    const pauses = at.slice(1).map((time, index) => (time - (at[index] ?? 0)) / 1_000);
    expect(pauses.slice(0, 5)).toEqual([5, 10, 3_600, 40, 80]);
  });

  it('is parked after three days with everything kept, and delivered again by a replay', async () => {
    const { reference, end } = await sending.stuck('a');
    sending.receiver.answer = () => 503;
    await sending.deliverFor(3 * DAY_MS + HOUR_MS);
    const asked = sending.receiver.asked.length;
    expect(await sending.state()).toMatchObject({ position: 0, why: 'http-503', failingSince: expect.any(Number) });
    expect((await sending.state()).parkedAt).not.toBeNull();
    sending.receiver.answer = () => 200;
    await sending.deliverFor(DAY_MS);
    expect(sending.receiver.asked).toHaveLength(asked);
    await end();
    await sending.store.replaySubscription({ name: NAME, from: 1, by: 'alice', at: sending.now });
    await sending.deliver();
    expect(sending.reported()).toEqual([`payout.ended ${reference}`]);
  });
});

describe('an event that a working receiver refuses', () => {
  it('waits by itself, with what comes behind it of its subject, while all others go on', async () => {
    const [one, other] = [await sending.stuck('one'), await sending.stuck('other')];
    const { receiver, store } = sending;
    receiver.answer = ({ event }) => (event.subject.endsWith(one.reference) ? 400 : 200);
    await sending.deliver();
    await one.end();
    await other.end();
    await sending.deliver();
    expect(sending.reported()).toEqual([`payout.attention ${other.reference}`, `payout.ended ${other.reference}`]);
    expect((await store.refusedEvents(NAME)).map(({ position, why }) => [position, why])).toEqual([
      [1, 'http-400'],
      [3, 'behind-a-refused-one'],
    ]);
    receiver.answer = () => 200;
    await sending.deliverFor(HOUR_MS);
    // The first one does not hold any more.
    expect(sending.reported().slice(2)).toEqual([`payout.ended ${one.reference}`]);
    expect(await store.refusedEvents(NAME)).toEqual([]);
    expect(await sending.state()).toMatchObject({ position: 4, failingSince: null });
  });

  it('is parked after three days, and the next one of its subject is delivered', async () => {
    const one = await sending.stuck('one');
    const { receiver, store } = sending;
    receiver.answer = ({ event }) => (event.type === eventType('payout.attention') ? 422 : 200);
    await sending.deliverFor(3 * DAY_MS + HOUR_MS);
    expect(await store.refusedEvents(NAME)).toMatchObject([
      { position: 1, why: 'http-422', parkedAt: expect.any(Number) },
    ]);
    await one.end();
    await sending.deliver();
    expect(sending.reported()).toEqual([`payout.ended ${one.reference}`]);
    expect((await sending.state()).parkedAt).toBeNull();
  });

  it('stops the others when there are very many, so that an answer of 500 to everything costs few rows', async () => {
    const { receiver, store } = sending;
    receiver.answer = () => 500;
    for (let n = 0; n < REFUSED_MAX + 150; n += 1) await sending.stuck(`doc-${n}`);
    await sending.deliverFor(HOUR_MS);
    const refused = await store.refusedEvents(NAME);
    expect(refused.length).toBeGreaterThanOrEqual(REFUSED_MAX);
    expect((await sending.state()).position).toBe(refused.length);
    receiver.answer = () => 200;
    await sending.deliverFor(HOUR_MS);
    expect(new Set(sending.reported()).size).toBe(REFUSED_MAX + 150);
    expect(await store.refusedEvents(NAME)).toEqual([]);
  });
});

describe('a sender', () => {
  it('that dies between a delivery and its note repeats it under the same id, and loses none', async () => {
    const [a, b] = [await sending.stuck('a'), await sending.stuck('b')];
    const dead = new Error('killed');
    const dying: Store = {
      ...sending.store,
      recordDeliveryProgress: () => Promise.reject(dead),
      releaseSubscription: () => Promise.reject(dead),
    };
    await expect(sending.deliver({ store: dying })).rejects.toThrow();
    expect(sending.reported()).toHaveLength(2);
    // The dead one has the lease for a while.
    await sending.deliver({ owner: 'two' });
    expect(sending.reported()).toHaveLength(2);
    sending.now += 60_000;
    await sending.deliver({ owner: 'two' });
    const ids = sending.receiver.taken.map(({ headers }) => headers['webhook-id']);
    expect(ids.slice(2).sort()).toEqual(ids.slice(0, 2).sort());
    expect(sending.reported().slice(2).sort()).toEqual(
      [a, b].map(({ reference }) => `payout.attention ${reference}`).sort(),
    );
    expect((await sending.state()).position).toBe(2);
  });

  it('is alone: of two at once only one sends', async () => {
    for (const id of ['a', 'b', 'c']) await sending.stuck(id);
    await Promise.all([sending.deliver({ owner: 'one' }), sending.deliver({ owner: 'two' })]);
    await sending.deliver({ owner: 'two' });
    expect(sending.reported()).toHaveLength(3);
  });

  it('is stopped for good by 410', async () => {
    await sending.stuck('a');
    sending.receiver.answer = () => 410;
    await sending.deliverFor(DAY_MS);
    expect(sending.receiver.asked).toHaveLength(1);
    expect(await sending.state()).toMatchObject({ position: 0, why: 'http-410', parkedAt: expect.any(Number) });
  });

  it('delivers what the subscription asks for, and passes over the rest', async () => {
    sending.filter = { kinds: ['payout.ended'], uids: ['user-1'] };
    const { reference, end } = await sending.stuck('a');
    await end();
    await sending.deliver();
    expect(sending.reported()).toEqual([`payout.ended ${reference}`]);
    expect((await sending.state()).position).toBe(2);
    sending.filter = { uids: ['user-2'] };
    await sending.stuck('b');
    await sending.deliver();
    expect(sending.reported()).toHaveLength(1);
    expect((await sending.state()).position).toBe(3);
  });
});
