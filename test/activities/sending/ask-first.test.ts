import { describe, expect, it } from 'vitest';
import { askBank, listReader, objectionTo, type SentRow } from '../../../src/activities/lists.ts';
import type { Bank } from '../../../src/bank/bank.ts';
import { type Order, order as orderSchema } from '../../../src/bank/schemas/orders.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import { because } from '../../../src/domain/reasons.ts';
import type { AttemptOutcome } from '../../../src/store/store.ts';
import { payoutClaim, SENT_PAYMENT } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const HOUR_MS = 3_600_000;
const START = 1_000 * HOUR_MS;
const LIST_LAG_MS = quickSettings.terms.waits.listLagMs;
const USD = { uid: 'user-1', currency: 'USD' };
const DOCUMENT = { uid: 'user-1', documentId: 'doc', kind: 'payout' } as const;
const under = (generation: number, orderKind: 'payment' | 'exchange' = 'payment') =>
  referenceOf('user-1', 'doc', orderKind, generation);

const payment = (order_id: string, client_order_id: string | undefined, more: Record<string, unknown> = {}): Order =>
  orderSchema.parse({
    ...{ order_id, client_order_id, status: 'COMPLETED', type: 'PAYMENT', direct: 'OUT', transaction_uid: 'user-1' },
    ...{ transaction_account: 'acc-1', transaction_currency: 'USD', transaction_amount: '10.50', created_at: START },
    ...more,
  });

/** A claimed row, at a bank whose list and orders are what the test says. */
async function rowAt({ generation = 0, createdAt, releasedAt }: Partial<SentRow> = {}) {
  const store = await newStore();
  /** `left`: orders that the list leaves out. */
  const world = { list: [] as Order[], left: [] as Order[], stable: true, now: START, reads: 0 };
  const bank = {
    clock: UNMEASURED_CLOCK,
    orders: {
      listStable: async () => {
        world.reads += 1;
        return { orders: world.list, stable: world.stable, pagesRead: 1 };
      },
      get: async (id: string) => [...world.list, ...world.left].find(({ order_id }) => order_id === id),
    },
  } as unknown as Bank;
  const listReads = { bank, store, settings: quickSettings, now: () => world.now };
  const deps = { ...listReads, readList: listReader(listReads) };
  const row = { ...DOCUMENT, generation, createdAt, releasedAt };
  await store.claimPayout(payoutClaim('doc'));
  const sent = async (outcome: AttemptOutcome, more: { orderId?: string } = {}, reference = under(0)) => {
    const attempt = (await store.attempts(reference)).length + 1;
    const request = { ...SENT_PAYMENT, beneficiaryId: 'b' };
    await store.recordAttempt({ reference, attempt, runId: 'run-1', activityId: '1', sentAt: world.now, request });
    world.now += 5;
    await store.finishAttempt(reference, attempt, { outcome, at: world.now, ...more });
    world.now += outcome === 'refused' ? LIST_LAG_MS : 5;
  };
  return {
    ...{ store, world, sent },
    ask: () => askBank(deps, row, 'payment', [USD]),
    objection: () => objectionTo(deps, row, 'payment', [USD]),
  };
}

describe('the first send of a store that was never opened', () => {
  it('waits for a read of the whole list, which is made once', async () => {
    const { world, ask, objection } = await rowAt();
    expect(await objection()).toBe('read');
    expect(await ask()).toEqual({ earlier: [], own: [] });
    expect(await objection()).toBeUndefined();
    await ask();
    world.now += 24 * HOUR_MS;
    expect(await objection()).toBeUndefined();
    expect(world.reads).toBe(1);
  });

  it.each([
    ['as it is sent', under(0)],
    ['in capitals', under(0).toUpperCase()],
    ['cut', under(0).slice(0, 20)],
  ])('is not made if the list shows an order under its reference %s', async (_, reference) => {
    const { world, ask, objection } = await rowAt();
    world.list = [payment('theirs', reference)];
    expect(await ask()).toEqual({ earlier: [], own: ['theirs'] });
    expect(await objection()).toBe('own');
  });

  it.each([
    ['a further generation', under(3)],
    ['an exchange for it', under(0, 'exchange')],
  ])('is held if the list shows an order of %s', async (_, reference) => {
    const { world, ask, objection } = await rowAt();
    world.list = [payment('theirs', reference, { type: 'FX' })];
    expect(await ask()).toEqual({ earlier: ['theirs'], own: [] });
    expect(await objection()).toBe('earlier');
  });

  it('is made beside orders of others, of ended ones of its document, and of money that comes in', async () => {
    const { world, ask, objection } = await rowAt();
    world.list = [
      payment('others', 'invoice 7'),
      payment('dead', under(2), { status: 'FAILED' }),
      payment('in', under(1), { direct: 'IN' }),
    ];
    expect(await ask()).toMatchObject({ earlier: [], own: [] });
    expect(await objection()).toBeUndefined();
  });

  it('is held while the list proves nothing', async () => {
    const { world, ask, objection } = await rowAt();
    world.stable = false;
    expect(await ask()).toMatchObject({ doubt: 'not-stable' });
    expect(await objection()).toBe('read');
    world.stable = true;
    expect((await ask()).doubt).toBeUndefined();
  });

  it('is held while the list lacks an order that the bank has accepted', async () => {
    const { world, store, ask } = await rowAt();
    const { reference } = payoutClaim('other');
    await store.claimPayout(payoutClaim('other'));
    const attempt = { reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt: world.now };
    await store.recordAttempt(attempt);
    await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'known' });
    await store.changePayout(reference, { state: 'processing', orderId: 'known', at: world.now });
    world.now += HOUR_MS;
    expect(await ask()).toMatchObject({ doubt: 'incomplete' });
    world.list = [payment('known', reference)];
    expect((await ask()).doubt).toBeUndefined();
  });

  it('is held while the list lacks an open order that was seen under the reference of a row in doubt', async () => {
    const { world, store, ask } = await rowAt();
    const { reference, workflowId } = payoutClaim('other');
    await store.claimPayout(payoutClaim('other'));
    const opened = { since: world.now, at: world.now, listedSince: 0, watchAliveSince: 0 };
    await store.openOrder({ reference, workflowId, uid: USD.uid, currencies: [USD.currency], ...opened });
    await store.noteOrder(reference, { orderId: 'seen' });
    world.now += HOUR_MS;
    world.left = [payment('seen', reference, { status: 'WAIT_FOR_AUDIT' })];
    expect(await ask()).toMatchObject({ doubt: 'incomplete' });
    world.left = [payment('seen', reference, { status: 'FAILED' })];
    expect((await ask()).doubt).toBeUndefined();
  });
});

describe('an order whose row people have closed', () => {
  it.each([
    ['is open', 'AN_UNKNOWN_STATUS', 'incomplete'],
    ['has failed since', 'FAILED', undefined],
    ['is completed', 'COMPLETED', undefined],
  ])('must be in a list that proves absence if it %s', async (_, status, doubt) => {
    const { world, store, ask } = await rowAt();
    const { reference } = payoutClaim('other');
    const { record } = await store.claimPayout(payoutClaim('other'));
    await store.recordAttempt({ reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt: world.now });
    await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'closed' });
    await store.closeUnpaid({
      ...{ reference, term: record.term, references: [reference], at: world.now, state: 'failed' },
      ...{ reason: because('closed-by-operator'), resolved: { [reference]: { upTo: 1, as: 'unpaid' } } },
    });
    world.now += 3 * HOUR_MS;
    world.left = [payment('closed', reference, { status })];
    expect((await ask()).doubt).toBe(doubt);
    world.list = world.left;
    expect((await ask()).doubt).toBeUndefined();
  });
});

describe('the first send of a row', () => {
  it.each([
    [
      'claimed before senders began anew waits for a read of some minutes ago at most',
      START - 1,
      START + 6 * 60_000,
      3,
    ],
    ['that has waited for minutes does too', START + 1, START + 1, 3],
    ['that was just released does not', START + 1, START + 6 * 60_000, 1],
  ])('%s', async (_, createdAt, releasedAt, reads) => {
    const { store, world, ask } = await rowAt({ createdAt, releasedAt });
    await store.recordResumption({ at: START, from: 0, why: 'restart', detail: {} });
    for (const minutes of [0, 1, 3, 6]) {
      world.now = START + minutes * 60_000;
      await ask();
    }
    expect(world.reads).toBe(reads);
  });

  it('is not made if a copy of the store has made it since the last read', async () => {
    const { store, world, ask, objection } = await rowAt({ createdAt: START - 1 });
    await store.recordResumption({ at: START, from: 0, why: 'restart', detail: {} });
    await ask();
    world.list = [payment('theirs', under(0))];
    world.now += 10 * 60_000;
    expect(await objection()).toBe('read');
    expect(await ask()).toEqual({ earlier: [], own: ['theirs'] });
    expect(await objection()).toBe('own');
  });
});

describe('a second send of a reference', () => {
  it.each<AttemptOutcome>(['refused', 'not-sent', 'ambiguous', 'exists'])(
    'after one that was answered with "%s" waits for a read that began after the answer',
    async (outcome) => {
      const { world, sent, ask, objection } = await rowAt();
      await ask();
      await sent(outcome);
      expect(await objection()).toBe('read');
      await ask();
      expect(await objection()).toBeUndefined();
      expect(world.reads).toBe(2);
    },
  );

  it.each<AttemptOutcome>(['refused', 'not-sent'])(
    'is not made if the bank has done what it answered with "%s"',
    async (outcome) => {
      const { world, sent, ask, objection } = await rowAt();
      await ask();
      await sent(outcome);
      world.list = [payment('done', under(0))];
      expect(await ask()).toEqual({ earlier: [], own: ['done'] });
      expect(await objection()).toBe('own');
    },
  );

  it('is not made if a watch has seen an order under the reference, though the list leaves it out', async () => {
    const { store, world, sent, ask, objection } = await rowAt();
    await sent('ambiguous');
    const open = { reference: under(0), workflowId: 'w', uid: 'user-1', currencies: ['USD'], since: 1, at: 1 };
    await store.openOrder({ ...open, listedSince: 1, watchAliveSince: 1 });
    await store.noteOrder(under(0), { orderId: 'seen' });
    expect(await ask()).toEqual({ earlier: [], own: [] });
    world.left = [payment('seen', under(0))];
    expect(await ask()).toEqual({ earlier: [], own: ['seen'] });
    expect(await objection()).toBe('own');
  });

  it('is not made if the list shows an order that an earlier one may have made, though its absence was proven', async () => {
    const { store, world, sent, ask, objection } = await rowAt();
    const open = { reference: under(0), workflowId: 'w', uid: 'user-1', currencies: ['USD'], since: 1, at: 1 };
    await store.openOrder({ ...open, listedSince: 1, watchAliveSince: 1 });
    await sent('ambiguous');
    await sent('not-sent');
    expect(await ask()).toEqual({ earlier: [], own: [] });
    world.list = [payment('late', under(0))];
    await sent('not-sent');
    expect(await ask()).toEqual({ earlier: [], own: ['late'] });
    expect(await objection()).toBe('own');
  });

  it('after a refusal waits until the list can show what was done all the same', async () => {
    const { world, sent, ask, objection } = await rowAt();
    await ask();
    await sent('refused');
    world.now -= LIST_LAG_MS;
    expect(await ask()).toMatchObject({ doubt: 'too-soon' });
    expect(await objection()).toBe('read');
    expect(world.reads).toBe(1);
  });

  it('waits for another read some minutes later', async () => {
    const { world, sent, ask, objection } = await rowAt();
    await sent('refused');
    await ask();
    world.now += 3 * 60_000;
    expect(await objection()).toBe('read');
  });
});

describe('a further generation', () => {
  async function secondOf(outcome: AttemptOutcome, more: { orderId?: string } = {}) {
    const { store, sent, world, ...rest } = await rowAt({ generation: 1 });
    await sent(outcome, more);
    await store.resolveAttempts(under(0), { upTo: 1, as: more.orderId === undefined ? 'absent' : 'unpaid' });
    await store.changePayout(under(0), { state: 'failed', orderId: more.orderId, at: world.now });
    return { store, world, ...rest };
  }

  it('is informed of what the bank did late, as an incident of the earlier one', async () => {
    const { store, world, ask } = await secondOf('ambiguous');
    world.list = [payment('late', under(0))];
    await ask();
    expect(await store.incidentsOf([under(0)])).toMatchObject([{ orderId: 'late' }]);
  });

  it('is sent no more once a read has shown that the bank repaired the failed order of the earlier one', async () => {
    const { world, ask, objection } = await secondOf('accepted', { orderId: 'repaired' });
    world.list = [payment('repaired', under(0), { status: 'FAILED' })];
    await ask();
    expect(await objection()).toBeUndefined();
    world.list = [payment('repaired', under(0))];
    world.now += 3 * 60_000;
    await ask();
    expect(await objection()).toBe('earlier');
  });

  it('is held beside an order without a reference for the same money, made since', async () => {
    const { world, ask, objection } = await secondOf('ambiguous');
    world.list = [payment('hidden', undefined), payment('older', undefined, { created_at: START - 24 * HOUR_MS })];
    expect(await ask()).toMatchObject({ earlier: ['hidden'] });
    expect(await objection()).toBe('earlier');
  });

  it('reads the list again though the store was checked before', async () => {
    const { world, ask, objection } = await secondOf('accepted', { orderId: 'failed' });
    world.list = [payment('failed', under(0), { status: 'FAILED' })];
    expect(await objection()).toBe('read');
    expect(await ask()).toMatchObject({ earlier: [], own: [] });
    expect(await objection()).toBeUndefined();
  });
});

describe('the send after the money of a completed generation came back', () => {
  const back = (more: Record<string, unknown> = {}) =>
    payment('back', under(0), { type: 'REFUND', direct: 'IN', ...more });

  async function completed() {
    const row = await rowAt({ generation: 1 });
    const { world, store, sent } = row;
    await sent('accepted', { orderId: 'paid' });
    await store.changePayout(under(0), { state: 'completed', orderId: 'paid', at: world.now });
    world.now += HOUR_MS;
    world.list = [payment('paid', under(0)), back()];
    const agree = async () => {
      for (const { id } of await store.incidentsOf([under(0)]))
        await store.acknowledgeIncident(id, { by: 'bob', reason: 'the account was closed', at: world.now });
    };
    return { ...row, agree };
  }

  it('is made once the bank shows all of it back and somebody has agreed', async () => {
    const { ask, objection, agree } = await completed();
    expect(await ask()).toEqual({ earlier: [], own: [] });
    expect(await objection()).toBe('earlier');
    await agree();
    expect(await objection()).toBeUndefined();
  });

  it.each([
    ['takes it away again', back({ status: 'FAILED' })],
    ['has not booked it yet', back({ status: 'SUBMITTED' })],
    ['no longer shows it', undefined],
  ])('is not made if the bank %s', async (_, shown) => {
    const { world, ask, objection, agree } = await completed();
    await ask();
    await agree();
    world.list = [payment('paid', under(0)), ...(shown === undefined ? [] : [shown])];
    expect((await ask()).earlier).toEqual(['paid']);
    expect(await objection()).toBe('earlier');
  });

  it('is not made for a part of it', async () => {
    const { world, ask, objection, agree } = await completed();
    world.list = [payment('paid', under(0)), back({ transaction_amount: '10.49' })];
    await ask();
    await agree();
    expect(await objection()).toBe('earlier');
  });
});
