import { beforeEach, expect, it } from 'vitest';
import { because } from '../../../src/domain/reasons.ts';
import {
  batchData,
  type CloudEvent,
  cloudEvent,
  eventId,
  payoutData,
} from '../../../src/reports/events/cloud-event.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';

let store: Store;

beforeEach(async () => {
  store = await newStore();
});

/** Every event of the store as it would be delivered now; undefined for those that would not. */
async function reported(): Promise<(CloudEvent | undefined)[]> {
  const events = await store.outboxEvents({ after: 0, limit: 100 });
  return Promise.all(events.map((event) => cloudEvent({ store, pages: 'https://payouts.example.com' }, event)));
}

const types = async (): Promise<(string | undefined)[]> => (await reported()).map((event) => event?.type);

it('a batch is delivered with its counts, unless it was opened again', async () => {
  await store.claimBatch(batchClaim('b1', ['x', 'y']));
  await store.cancelUnreleased('b1', null, because('batch-cancelled'), 2_000);
  await store.endBatch('b1', 3_000);
  const event = (await reported()).at(-1);
  expect(event).toMatchObject({
    type: 'org.durable-payouts.batch.ended',
    subject: 'batch/b1',
    time: '1970-01-01T00:00:03.000Z',
  });
  expect(batchData.parse(event?.data)).toEqual({
    batchId: 'b1',
    page: 'https://payouts.example.com/batches/b1',
    state: 'completed-with-exceptions',
    control: 'running',
    counts: { total: 2, completed: 0, failed: 0, rejected: 0, cancelled: 2, returned: 0, needsOperator: 0, open: 0 },
    createdAt: '1970-01-01T00:00:01.000Z',
    endedAt: '1970-01-01T00:00:03.000Z',
  });
  await store.reopenBatch('b1');
  expect((await types()).at(-1)).toBeUndefined();
});

it('a batch that was paused by itself is delivered until somebody has seen to it', async () => {
  await store.claimBatch(batchClaim('b1', ['x']));
  const asked = { batchId: 'b1', by: 'canary', at: 2_000 };
  await store.controlBatch({ ...asked, control: 'paused', reason: 'a canary row failed' });
  expect(await types()).toEqual(['org.durable-payouts.batch.attention']);
  await store.controlBatch({ ...asked, control: 'running', by: 'alice' });
  expect(await types()).toEqual([undefined]);
});

it('what the bank showed after the end is in every later delivery, acknowledged or not', async () => {
  const { reference, term } = (await store.claimPayout(payoutClaim('INV-1'))).record;
  await store.changePayout(reference, { term, state: 'completed', fee: '1.00', feeCurrency: 'USD', at: 2_000 });
  await store.recordReturn({ orderId: 'o-1', reference, amount: '9.50', currency: 'USD', seenAt: 3_000 });
  await store.recordIncident({ kind: 'second-order', reference, orderId: 'o-2', seenAt: 4_000 });
  const [{ id = '' } = {}] = await store.incidentsOf([reference]);
  await store.acknowledgeIncident(id, { by: 'alice', reason: 'Robin Sample called', at: 5_000 });
  const events = await reported();
  expect(events.map((event) => event?.type)).toEqual(
    ['ended', 'returned', 'incident'].map((what) => `org.durable-payouts.payout.${what}`),
  );
  for (const event of events) {
    expect(payoutData.parse(event?.data)).toMatchObject({
      state: 'completed',
      fee: '1.00',
      returns: [{ orderId: 'o-1', amount: '9.50', currency: 'USD', seenAt: '1970-01-01T00:00:03.000Z' }],
      incidents: [{ id, kind: 'second-order', orderId: 'o-2', acknowledged: true }],
    });
  }
  expect(JSON.stringify(events)).not.toMatch(/Robin|alice|acc-1|ben-1/);
});

it('an id is that of one event of one store, even where a restored store gives its position again', () => {
  const event = { position: 1, kind: 'payout.ended', subject: 's', uid: 'u', at: 1 } as const;
  const ids = [
    eventId({ id: 'store' }, event),
    eventId({ id: 'other' }, event),
    eventId({ id: 'store' }, { ...event, at: 2 }),
    eventId({ id: 'store' }, { ...event, subject: 't' }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  expect(eventId({ id: 'store' }, { ...event })).toBe(ids[0]);
});
