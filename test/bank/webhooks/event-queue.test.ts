import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { EventQueue, type ReceivedEvent } from '../../../src/bank/webhooks/receiver.ts';

const event = (paymentId: string): ReceivedEvent => ({
  kind: 'status',
  paymentId,
  status: 'SUCCEEDED',
  trust: 'verified',
  receivedAt: 1_000,
  merchantRequestId: null,
});
const silent = pino({ level: 'silent' });

describe('EventQueue', () => {
  it('go through all events, a few at once, past those that fail', async () => {
    const delivered: string[] = [];
    let [running, most] = [0, 0];
    const queue = new EventQueue(async ({ paymentId }) => {
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      running -= 1;
      if (Number(paymentId) % 3 === 0) throw new Error('unreachable');
      delivered.push(paymentId);
    }, silent);
    for (let n = 0; n < 300; n += 1) queue.add(event(`${n}`));
    await expect.poll(() => delivered.length).toBe(200);
    expect(most).toBe(16);
    queue.add(event('again-1'));
    await expect.poll(() => delivered.length).toBe(200);
  });

  it('that have begun are waited for, and the others are left to the store', async () => {
    const begun: string[] = [];
    let ended = 0;
    const queue = new EventQueue(async ({ paymentId }) => {
      begun.push(paymentId);
      await setImmediate();
      ended += 1;
    }, silent);
    for (let n = 0; n < 40; n += 1) queue.add(event(`${n}`));
    await queue.close();
    expect(begun).toHaveLength(16);
    expect(ended).toBe(16);
  });
});
