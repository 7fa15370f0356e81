import { describe, expect, it } from 'vitest';
import { type CardEventDeps, cardEventPass, deliverCardEvent } from '../../../src/activities/card-events.ts';
import { envelopeError, UnknownOutcomeError } from '../../../src/bank/errors.ts';
import type { CardPaymentView } from '../../../src/domain/card-payment.ts';
import type { CardChange, CardEventEffect } from '../../../src/store/card-store.ts';
import { cardClaim, cardEvent, type ReceivedEvent } from '../../store/card-samples.ts';
import { newStore } from '../../support/empty-store.ts';

const UNREACHABLE = new UnknownOutcomeError('no answer', { outcome: 'ambiguous', retryable: true, operation: 'GET' });
const NOT_FOUND = envelopeError(2005, { operation: 'GET' });

/** A store in memory, workflows that are open or not, and an acquirer that shows what a test says. */
async function openWorld() {
  const store = await newStore();
  const { cards } = store;
  const world = {
    store,
    cards,
    now: 100_000,
    open: new Set<string>(['m-1']),
    signals: [] as { owner: string; paymentId: string; requestId: string }[],
    started: [] as string[],
    acquirer: new Map<string, Partial<CardPaymentView> | Error>(),
    reads: [] as string[],
    failures: [] as unknown[],
    /** Effects by payment. */
    async effects(): Promise<Record<string, CardEventEffect | null>> {
      const events = await cards.eventsOf('m-1');
      return Object.fromEntries(events.map(({ paymentId, effect }) => [paymentId, effect]));
    },
    async ended(change: Omit<CardChange, 'at'>): Promise<void> {
      world.open.clear();
      await cards.change('m-1', { ...change, at: 2_000 });
    },
    async receive(event: ReceivedEvent): Promise<ReceivedEvent> {
      await cards.receive(event);
      return event;
    },
    pass: (): Promise<void> => pass(),
  };
  const deps: CardEventDeps = {
    store,
    settings: { cardBackStatuses: ['REFUNDED'] },
    now: () => world.now,
    bank: {
      cards: {
        async retrieve(paymentId) {
          world.reads.push(paymentId);
          const shown = world.acquirer.get(paymentId) ?? NOT_FOUND;
          if (shown instanceof Error) throw shown;
          return { paymentId, status: 'PROCESSING', nextAction: null, ...shown };
        },
      },
    },
    executions: {
      async cardEvent(owner, { paymentId, ...event }, requestId) {
        if (paymentId === 'p-broken') throw new Error('Temporal is away');
        expect(Object.keys(event).sort()).toEqual(['kind', 'receivedAt', 'status', 'trust']);
        if (!world.open.has(owner)) return false;
        world.signals.push({ owner, paymentId, requestId });
        return true;
      },
      async startCardPayment({ merchant_request_id: id }) {
        world.started.push(id);
      },
    },
  };
  const pass = cardEventPass(deps, (error) => world.failures.push(error));
  await cards.claim(cardClaim('m-1', { runId: 'run-1' }));
  await cards.addRequest('r-1', 'm-1');
  return { ...world, world, deps };
}

describe('A card event', () => {
  it('goes to the open workflow of its payment, with any intent that it names', async () => {
    const { world, deps, cards } = await openWorld();
    await cards.linkPayment('p-1', 'm-1', 1_000);
    await deliverCardEvent(deps, await world.receive(cardEvent('p-1', { merchantRequestId: 'm-other' })));
    expect(world.signals).toMatchObject([{ owner: 'm-1', paymentId: 'p-1' }]);
    expect(await world.effects()).toEqual({ 'p-1': 'delivered' });
  });

  it('is the same signal each time, and a verified one is another than the hint before it', async () => {
    const { world, deps } = await openWorld();
    const event = cardEvent('p-1', { merchantRequestId: 'm-1' });
    await deliverCardEvent(deps, event);
    await deliverCardEvent(deps, { ...event, receivedAt: 9_000, receiptId: 'later' } as ReceivedEvent);
    await deliverCardEvent(deps, { ...event, trust: 'hint' });
    await deliverCardEvent(deps, { ...event, status: 'FAILED' });
    const [first, again, hint, other] = world.signals.map(({ requestId }) => requestId);
    expect(again).toBe(first);
    expect(new Set([first, hint, other]).size).toBe(3);
  });

  it('of nobody stays where it is', async () => {
    const { world, deps, cards } = await openWorld();
    await deliverCardEvent(deps, await world.receive(cardEvent('p-1')));
    expect(world.signals).toEqual([]);
    expect(await cards.undelivered(false, 10)).toHaveLength(1);
  });

  it('stays undelivered while no workflow runs and no end is stored', async () => {
    const { world, deps, cards } = await openWorld();
    world.open.clear();
    await deliverCardEvent(deps, await world.receive(cardEvent('p-1', { merchantRequestId: 'm-1' })));
    expect(await cards.undelivered(true, 10)).toHaveLength(1);
    world.open.add('m-1');
    await world.pass();
    expect(await world.effects()).toEqual({ 'p-1': 'delivered' });
  });

  it.each<[CardEventEffect, Omit<CardChange, 'at'>, Partial<ReceivedEvent>]>([
    ['confirms', { state: 'succeeded', paymentId: 'p-1' }, {}],
    ['contradicts', { state: 'succeeded', paymentId: 'p-1' }, { status: 'FAILED' }],
    ['after-end', { state: 'succeeded', paymentId: 'p-1' }, { status: 'PROCESSING' }],
    ['after-end', { state: 'succeeded', paymentId: 'p-1' }, { status: 'SETTLED' }],
    ['contradicts', { state: 'succeeded', paymentId: 'p-1' }, { status: 'Refunded' }],
    ['after-end', { state: 'succeeded', paymentId: 'p-2' }, { status: 'REFUNDED' }],
    ['after-end', { state: 'failed', paymentId: 'p-1' }, { status: 'REFUNDED' }],
    ['after-end', { state: 'succeeded', paymentId: 'p-1' }, { kind: 'completion', status: 's-1' }],
    ['contradicts', { state: 'succeeded', paymentId: 'p-2' }, {}],
    ['contradicts', { state: 'succeeded', paymentId: 'p-1' }, { amount: '105.00', currency: 'USD' }],
    ['confirms', { state: 'succeeded', paymentId: 'p-1' }, { amount: '10.5', currency: 'USD' }],
    ['confirms', { state: 'succeeded', paymentId: 'p-2' }, { status: 'FAILED' }],
    ['contradicts', { state: 'failed', paymentId: 'p-1' }, {}],
    ['confirms', { state: 'failed', paymentId: 'p-1' }, { status: 'FAILED' }],
    ['contradicts', { state: 'cancelled' }, {}],
    ['confirms', { state: 'cancelled' }, { status: 'FAILED' }],
  ])('has the effect %s on the end %j when it says %j', async (effect, change, said) => {
    const { world, deps, store, cards } = await openWorld();
    await world.ended(change);
    await deliverCardEvent(deps, await world.receive(cardEvent('p-1', { merchantRequestId: 'm-1', ...said })));
    expect(await world.effects()).toEqual({ 'p-1': effect });
    const contradicted = effect === 'contradicts';
    expect((await cards.get('m-1'))?.contradictedAt).toBe(contradicted ? world.now : null);
    expect(await store.auditEntriesOf('m-1')).toHaveLength(contradicted ? 1 : 0);
    expect(world.reads).toEqual([]);
  });

  it('that says another sum than the one before contradicts the end as the first one would', async () => {
    const { world, deps, cards } = await openWorld();
    await world.ended({ state: 'succeeded', paymentId: 'p-1' });
    const said = { merchantRequestId: 'm-1', currency: 'USD' };
    await deliverCardEvent(deps, await world.receive(cardEvent('p-1', { ...said, amount: '10.50' })));
    expect(await world.effects()).toEqual({ 'p-1': 'confirms' });
    const second = cardEvent('p-1', { ...said, amount: '105.00', receiptId: 'second' });
    await deliverCardEvent(deps, await world.receive(second));
    expect(await world.effects()).toEqual({ 'p-1': 'contradicts' });
    expect((await cards.get('m-1'))?.contradictedAt).toBe(world.now);
  });

  it('finds the end that was stored while its workflow was asked', async () => {
    const { world, deps } = await openWorld();
    world.open.clear();
    const { executions } = deps;
    deps.executions = {
      ...executions,
      async cardEvent(...args) {
        await world.ended({ state: 'succeeded', paymentId: 'p-1' });
        return executions.cardEvent(...args);
      },
    };
    await deliverCardEvent(deps, await world.receive(cardEvent('p-1', { merchantRequestId: 'm-1' })));
    expect(await world.effects()).toEqual({ 'p-1': 'confirms' });
  });
});

describe('A workflow that was closed without an end', () => {
  it('is started again by a verified event, and notified by the next pass', async () => {
    const { world, deps } = await openWorld();
    world.open.clear();
    await deliverCardEvent(deps, await world.receive(cardEvent('p-1', { merchantRequestId: 'm-1' })));
    expect(world.started).toEqual(['m-1']);
    expect(await world.effects()).toEqual({ 'p-1': null });
    world.open.add('m-1');
    await world.pass();
    expect(await world.effects()).toEqual({ 'p-1': 'delivered' });
  });

  it('is left alone by a hint', async () => {
    const { world, deps } = await openWorld();
    world.open.clear();
    await deliverCardEvent(deps, await world.receive(cardEvent('p-1', { merchantRequestId: 'm-1', trust: 'hint' })));
    expect(world.started).toEqual([]);
  });
});

describe('A hint after the end', () => {
  it.each<[CardEventEffect | null, string, Partial<CardPaymentView> | Error]>([
    ['contradicts', 'm-1 paid', { status: 'SUCCEEDED', merchantRequestId: 'r-1' }],
    ['confirms', 'm-1 unpaid', { status: 'FAILED', merchantRequestId: 'r-1' }],
    [null, 'open', { status: 'PROCESSING', merchantRequestId: 'r-1' }],
    [null, 'of somebody else', { status: 'SUCCEEDED', merchantRequestId: 'r-foreign' }],
    [null, 'of nobody', { status: 'SUCCEEDED' }],
    [null, 'not there', NOT_FOUND],
  ])('has the effect %s when the acquirer shows it %s', async (effect, _says, shown) => {
    const { world, cards } = await openWorld();
    await world.ended({ state: 'failed', paymentId: 'p-1' });
    world.acquirer.set('p-1', shown);
    await world.receive(cardEvent('p-1', { trust: 'hint', merchantRequestId: 'm-1' }));
    for (let pass = 0; pass < 7; pass += 1) await world.pass();
    expect(await world.effects()).toEqual({ 'p-1': effect });
    expect(world.reads).toHaveLength(effect === null ? 5 : 1);
    expect((await cards.get('m-1'))?.contradictedAt).toBe(effect === 'contradicts' ? world.now : null);
  });

  it('needs no read when it says the same', async () => {
    const { world } = await openWorld();
    await world.ended({ state: 'succeeded', paymentId: 'p-1' });
    await world.receive(cardEvent('p-1', { trust: 'hint', merchantRequestId: 'm-1' }));
    await world.pass();
    expect(await world.effects()).toEqual({ 'p-1': 'confirms' });
    expect(world.reads).toEqual([]);
  });
});

describe('A pass', () => {
  it('delivers all that is owned, past what fails, over many pages', async () => {
    const { world, cards } = await openWorld();
    for (let n = 0; n < 250; n += 1) await world.receive(cardEvent(`p-${n}`, { merchantRequestId: 'm-1' }));
    await world.receive(cardEvent('p-broken', { merchantRequestId: 'm-1', receivedAt: 1_000 }));
    await world.receive(cardEvent('p-lost', { merchantRequestId: 'm-gone', receivedAt: 1_001 }));
    await world.pass();
    expect(world.signals).toHaveLength(250);
    expect(world.failures).toMatchObject([{ message: 'Temporal is away' }]);
    expect((await cards.undelivered(true, 10)).map(({ paymentId }) => paymentId)).toEqual(['p-broken', 'p-lost']);
  });

  it('asks whose an event is once the answer to a create had its time, and delivers it', async () => {
    const { world, cards } = await openWorld();
    world.acquirer.set('p-1', { merchantRequestId: 'r-1' });
    await world.receive(cardEvent('p-1', { receivedAt: world.now - 4_999 }));
    await world.pass();
    expect(world.reads).toEqual([]);
    world.now += 1;
    await world.pass();
    expect(world.reads).toEqual(['p-1']);
    expect(await cards.ownerOfPayment('p-1')).toBe('m-1');
    expect(await world.effects()).toEqual({ 'p-1': 'delivered' });
  });

  it('gives up on an event of nobody after five answers, and not while the acquirer is away', async () => {
    const { world, cards } = await openWorld();
    world.acquirer.set('p-1', UNREACHABLE);
    world.acquirer.set('p-2', { merchantRequestId: 'r-foreign' });
    await world.receive(cardEvent('p-1'));
    await world.receive(cardEvent('p-2'));
    await world.receive(cardEvent('', { kind: 'completion', status: 'session-9' }));
    for (let pass = 0; pass < 7; pass += 1) await world.pass();
    expect(world.reads.filter((id) => id === 'p-1')).toHaveLength(7);
    expect(world.reads.filter((id) => id === 'p-2')).toHaveLength(5);
    expect(world.reads).toHaveLength(12);
    expect(await cards.undelivered(false, 10)).toHaveLength(3);
    await cards.linkPayment('p-2', 'm-1', world.now);
    await world.pass();
    expect(await world.effects()).toEqual({ 'p-2': 'delivered' });
  });

  it('asks the acquirer no more than forty times, the oldest first', async () => {
    const { world } = await openWorld();
    for (let n = 0; n < 150; n += 1) await world.receive(cardEvent(`p-${n}`, { receivedAt: 1_000 + n }));
    await world.pass();
    expect(world.reads.sort()).toEqual(Array.from({ length: 40 }, (_, n) => `p-${n}`).sort());
  });

  it('asks about every event in turn, though the acquirer never answers about those before it', async () => {
    const { world } = await openWorld();
    for (let n = 0; n < 90; n += 1) {
      world.acquirer.set(`p-${n}`, UNREACHABLE);
      await world.receive(cardEvent(`p-${n}`, { receivedAt: 1_000 + n }));
    }
    world.acquirer.set('p-ours', { merchantRequestId: 'r-1' });
    await world.receive(cardEvent('p-ours', { receivedAt: 2_000 }));
    for (let pass = 0; pass < 3; pass += 1) await world.pass();
    expect(world.signals).toMatchObject([{ owner: 'm-1', paymentId: 'p-ours' }]);
    expect(world.reads).toHaveLength(91);
    await world.pass();
    expect(world.reads.slice(91).sort()).toEqual(world.reads.slice(0, 40).sort());
  });
});
