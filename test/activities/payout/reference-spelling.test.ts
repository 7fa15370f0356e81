import { expect, it } from 'vitest';
import { learnedForm, learnSpelling } from '../../../src/activities/find.ts';
import type { Order } from '../../../src/bank/schemas/orders.ts';
import { newStore } from '../../support/empty-store.ts';

const SENT_REFERENCE = 'ab3d90c7-11f0-5e2a-8c64-9d0f7b1e2a33';
const LOST = '0f8b6c1e-3d52-5c0b-9a77-2f6e0c1d5b94';

async function learning() {
  const store = await newStore();
  let writes = 0;
  const counted = {
    referenceSpellings: () => store.referenceSpellings(),
    referencesSentBeginning: (beginning: string) => store.referencesSentBeginning(beginning),
    narrowReferenceSpellings: (shown: Parameters<typeof store.narrowReferenceSpellings>[0]) => {
      writes += 1;
      return store.narrowReferenceSpellings(shown);
    },
  };
  const shown = (client_order_id: string | undefined, { id = 'o-1', reference = SENT_REFERENCE } = {}) =>
    learnSpelling(counted, { reference, attempts: [{ orderId: 'o-1' }] }, { order_id: id, client_order_id } as Order);
  return { store, shown, lost: () => learnedForm(counted, LOST), writes: () => writes };
}

it('one order whose id the bank has returned teaches the form in which a lost one is shown', async () => {
  const { shown, lost } = await learning();
  expect(await lost()).toBeUndefined();
  await shown(SENT_REFERENCE.toUpperCase().slice(0, 20));
  expect(await lost()).toBe(LOST.toUpperCase().slice(0, 20));
});

it.each<[string, string | undefined, { id?: string }]>([
  ['shows no reference', undefined, {}],
  ['shows the reference of another', LOST.toUpperCase(), {}],
  ['has an id that the bank has not returned', SENT_REFERENCE.toUpperCase(), { id: 'o-2' }],
])('one that %s teaches nothing', async (_which, text, order) => {
  const { shown, lost, writes } = await learning();
  await shown(text, order);
  expect([await lost(), writes()]).toEqual([undefined, 0]);
});

it('a bank that spells now so and now so has no spelling', async () => {
  const { shown, lost } = await learning();
  await shown(SENT_REFERENCE.toUpperCase());
  await shown(SENT_REFERENCE);
  await shown(SENT_REFERENCE.toUpperCase());
  expect(await lost()).toBeUndefined();
});

it('what is known costs nothing more', async () => {
  const { shown, writes } = await learning();
  for (let n = 0; n < 5; n += 1) await shown(SENT_REFERENCE);
  expect(writes()).toBe(1);
});

it('a form that another reference of ours could have too is none', async () => {
  const { store, shown, lost } = await learning();
  await shown(SENT_REFERENCE.slice(0, 16));
  expect(await lost()).toBe(LOST.slice(0, 16));
  const twin = `${LOST.slice(0, 18)}-8c64-9d0f7b1e2a33`;
  for (const reference of [LOST, twin]) {
    expect(await lost()).toBe(LOST.slice(0, 16));
    await store.recordAttempt({ reference, attempt: 1, runId: 'run-1', activityId: '7', sentAt: 1_000 });
  }
  expect(await lost()).toBeUndefined();
});
