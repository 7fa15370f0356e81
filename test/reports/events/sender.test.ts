import { expect, it } from 'vitest';
import { Secret } from '../../../src/platform/config/key.ts';
import { startSender } from '../../../src/reports/events/event-sender.ts';
import { NAME, SECRETS, Sending } from './sending.ts';

it('a sender that is closed delivers what came up last, and begins no more afterwards', async () => {
  await using sending = await Sending.start();
  const { store, receiver } = sending;
  const to = { kind: 'webhook', url: receiver.url, secrets: new Secret(SECRETS), privateNetwork: false } as const;
  const sender = startSender(sending.deps(), [{ name: NAME, to }], undefined);
  const { reference } = await sending.stuck('a');
  await sender.close();
  expect(sending.reported()).toEqual([`payout.attention ${reference}`]);
  expect(
    await store.leaseSubscription({ name: NAME, owner: 'two', now: sending.now, until: sending.now }),
  ).toBeDefined();
  await sending.stuck('b');
  await expect.poll(() => sending.reported(), { timeout: 100 }).toHaveLength(1);
});

it('a sender that is closed waits for no receiver that hangs, and holds nothing against it', async () => {
  await using sending = await Sending.start();
  const { receiver } = sending;
  const hung = Promise.withResolvers<number>();
  receiver.answer = () => hung.promise;
  const to = { kind: 'webhook', url: receiver.url, secrets: new Secret(SECRETS), privateNetwork: false } as const;
  const sender = startSender(sending.deps(), [{ name: NAME, to }], undefined);
  await sending.stuck('a');
  await sender.close();
  expect(receiver.asked).toHaveLength(1);
  expect(await sending.state()).toMatchObject({ position: 0, failures: 0, failingSince: null });
  hung.resolve(200);
});

it('a sender delivers by itself what comes up', async () => {
  await using sending = await Sending.start();
  const to = {
    kind: 'webhook',
    url: sending.receiver.url,
    secrets: new Secret(SECRETS),
    privateNetwork: false,
  } as const;
  const sender = startSender(sending.deps(), [{ name: NAME, to }], undefined);
  await sending.stuck('a');
  await expect.poll(() => sending.reported()).toHaveLength(1);
  await sender.close();
});
