import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type CardEventDeps, cardEventPass } from '../../../src/activities/card-events.ts';
import { noticeBody } from '../../bank/webhooks/receiving.ts';
import { standardHeaders } from '../../bank/webhooks/signing.ts';
import { cardClaim } from '../../store/card-samples.ts';
import { openWebhooks } from './running-webhooks.ts';

const PAYMENTS = 300;
const AT_ONCE = 32;
interface Webhook {
  body: Buffer;
  headers: Record<string, string>;
  forged: boolean;
}

/**
 * Each payment succeeds, every fiftieth fails as well; every third one comes three times, one in twenty is forged, one in five
 * late.
 */
function flood(): Webhook[] {
  const at = Math.floor(Date.now() / 1_000);
  const webhook = (n: number, payment_status: string, forged = false): Webhook => {
    const body = noticeBody({ payment_id: `p-${n}`, payment_status });
    const secret = forged ? { secret: Buffer.from('guessed') } : {};
    return { body, forged, headers: standardHeaders({ body, at, id: `msg-${n}-${payment_status}`, ...secret }) };
  };
  const all = Array.from({ length: PAYMENTS }, (_, n) => [
    ...(n % 14 === 0 ? [webhook(n, 'SUCCEEDED', true)] : []),
    webhook(n, 'SUCCEEDED'),
    ...(n % 50 === 0 ? [webhook(n, 'FAILED')] : []),
    ...(n % 3 === 0 ? [webhook(n, 'SUCCEEDED'), webhook(n, 'SUCCEEDED')] : []),
  ]).flat();
  const place = new Map(all.map((it, index) => [it, index + (index % 5 === 0 ? 60 : 0)]));
  return all.sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0));
}

it('of webhooks has one effect for each event, even for those that come twice, too early, in another order or forged', async () => {
  const { post, store, delivered } = await openWebhooks();
  const { cards } = store;
  const statuses = new Map<string, number>();
  // Half of the payments are known before; the answers to the creates of the others come on the way.
  for (let n = 0; n < PAYMENTS; n += 1) {
    await cards.claim(cardClaim(`m-${n}`));
    if (n % 2 === 0) await cards.linkPayment(`p-${n}`, `m-${n}`, 1_000);
  }
  // Every second answer comes after the webhook of its payment; the others when they can.
  const early = new Set<string>();
  const answers = (async () => {
    for (let n = 1; n < PAYMENTS; n += 2) {
      while (n % 4 === 1 && !delivered.some(({ paymentId }) => paymentId === `p-${n}`)) await pause(1);
      for (const event of (await cards.linkPayment(`p-${n}`, `m-${n}`, 1_000)) ?? []) early.add(event.paymentId);
    }
  })();
  const left = flood().values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const { body, headers, forged } of left) {
        const { status } = await post(body, headers);
        const as = `${forged ? 'forged' : 'signed'} ${status}`;
        statuses.set(as, (statuses.get(as) ?? 0) + 1);
      }
    }),
  );
  await answers;
  expect([...statuses.keys()].sort()).toEqual(['forged 401', 'signed 200']);

  const expected = Array.from({ length: PAYMENTS }, (_, n) => [
    `p-${n} SUCCEEDED`,
    ...(n % 50 === 0 ? [`p-${n} FAILED`] : []),
  ]).flat();
  await expect.poll(() => delivered.length).toBe(expected.length);
  const said = delivered.map(({ paymentId, status }) => `${paymentId} ${status}`);
  expect(said.sort()).toEqual(expected.sort());
  expect(early.size).toBeGreaterThanOrEqual(PAYMENTS / 4);

  const signals: string[] = [];
  const deps: CardEventDeps = {
    store,
    settings: { cardBackStatuses: [] },
    now: Date.now,
    bank: { cards: { retrieve: () => Promise.reject(new Error('nobody asks')) } },
    executions: {
      async cardEvent(owner, { paymentId, status }) {
        expect(owner.slice(2)).toBe(paymentId.slice(2));
        signals.push(`${paymentId} ${status}`);
        return true;
      },
      startCardPayment: () => Promise.reject(new Error('nothing was closed')),
    },
  };
  const failures: unknown[] = [];
  const pass = cardEventPass(deps, (error) => failures.push(error));
  for (let times = 0; times < 2; times += 1) await pass();
  expect(failures).toEqual([]);
  expect(signals.sort()).toEqual(expected.sort());
  expect(await cards.undelivered(true, 1)).toEqual([]);
  expect(await cards.undelivered(false, 1)).toEqual([]);
});
