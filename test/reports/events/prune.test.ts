import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { pruneEvents } from '../../../src/reports/events/deliver.ts';
import { Sending } from './sending.ts';

it('an outage is delivered whole though it is older than what is kept, and is deleted only afterwards', async () => {
  await using sending = await Sending.start();
  const { store, receiver } = sending;
  const keepMs = DAY_MS;
  const left = async (): Promise<number> => (await store.outboxEvents({ after: 0, limit: 100 })).length;
  receiver.answer = () => 503;
  for (const id of ['a', 'b', 'c']) await sending.stuck(id);
  await sending.deliverFor(2 * DAY_MS);
  expect(await pruneEvents(store, keepMs, sending.now)).toBe(0);
  receiver.answer = () => 200;
  await sending.deliverFor(DAY_MS / 2);
  expect(sending.reported()).toHaveLength(3);
  expect(await left()).toBe(3);
  expect(await pruneEvents(store, keepMs, sending.now)).toBe(3);
  expect(await left()).toBe(0);
  await sending.stuck('d');
  await sending.deliver();
  expect(sending.reported()).toHaveLength(4);
});
