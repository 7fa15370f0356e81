import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { cardClaim, cardEvent } from './card-samples.ts';
import { batchClaim, openOrderRequest } from './samples.ts';
import { onEveryStore } from './stores.ts';

onEveryStore('The state of the work of a store', (test) => {
  it('is nothing while nothing is open', async () => {
    const store = await test.open();
    expect(await store.openWork(1_000)).toEqual({
      open: [],
      unknown: { count: 0, oldestSentAt: null },
      incidents: [],
      switchesOff: [],
      cardsForPeople: 0,
      oldestPollAt: null,
      oldestUnsignedAt: null,
    });
  });

  it('counts open payouts by state, with the times of the oldest, and none that has ended', async () => {
    const store = await test.open();
    const claim = batchClaim('b-1', ['a', 'b', 'c', 'd'], 1_000);
    await store.claimBatch(claim);
    const [a, b, c] = claim.rows.map(({ reference }) => reference) as [string, string, string];
    await store.changePayout(a, { state: 'held', at: 2_000 });
    await store.changePayout(b, { state: 'held', at: 3_000 });
    await store.changePayout(c, { state: 'completed', at: 3_000 });
    const { open, oldestUnsignedAt } = await store.openWork(0);
    expect(open.toSorted((one, other) => (one.state < other.state ? -1 : 1))).toEqual([
      { state: 'held', count: 2, oldestCreatedAt: 1_000, oldestSince: 2_000 },
      { state: 'received', count: 1, oldestCreatedAt: 1_000, oldestSince: 1_000 },
    ]);
    // The claim of the batch is the first entry of the audit.
    expect(oldestUnsignedAt).toBe(1_000);
  });

  it('counts what was sent and should have shown itself: not what is young, answered, found or resolved', async () => {
    const store = await test.open();
    const send = async (reference: string, sentAt: number, { isOpen = true } = {}) => {
      if (isOpen) await store.openOrder(openOrderRequest(reference));
      await store.recordAttempt({ reference, attempt: 1, runId: 'r', activityId: '1', sentAt });
    };
    await send('lost', 1_000);
    await store.finishAttempt('lost', 1, { outcome: 'ambiguous' });
    await store.recordAttempt({ reference: 'lost', attempt: 2, runId: 'r', activityId: '2', sentAt: 2_000 });
    await send('died', 3_000);
    await send('young', 9_000);
    await send('told', 1_000);
    await store.finishAttempt('told', 1, { outcome: 'accepted', orderId: 'o-1' });
    await send('found', 1_000);
    await store.noteOrder('found', { orderId: 'o-2' });
    await send('settled', 1_000);
    await store.resolveAttempts('settled', { upTo: 1, as: 'absent' });
    await send('of no payout', 1_000, { isOpen: false });
    expect((await store.openWork(5_000)).unknown).toEqual({ count: 2, oldestSentAt: 1_000 });
    expect((await store.openWork(1_000)).unknown).toEqual({ count: 0, oldestSentAt: null });
  });

  it('counts open incidents and switches, and knows the watch that is furthest behind', async () => {
    const store = await test.open();
    const incident = { kind: 'second-order', reference: 'a', orderId: 'o-1', seenAt: 1 } as const;
    for (const orderId of ['o-1', 'o-2']) await store.recordIncident({ ...incident, orderId });
    const [seen] = await store.incidentsOf(['a']);
    await store.acknowledgeIncident(seen?.id ?? '', { by: 'alice', reason: 'ticket 7', at: 2 });
    await store.switchOff({ scope: 'currency', key: 'EUR', reason: 'holiday', by: 'alice', at: 3 });
    await store.touchWatch({ uid: 'user-1', currency: 'USD' }, 5_000);
    await store.touchWatch({ uid: 'user-1', currency: 'EUR' }, 4_000);
    expect(await store.openWork(0)).toMatchObject({
      incidents: [{ kind: 'second-order', count: 1 }],
      switchesOff: [{ scope: 'currency', count: 1 }],
      oldestPollAt: 4_000,
    });
  });

  it('counts card payments that need an operator, and ends that the acquirer contradicts', async () => {
    const store = await test.open();
    const { cards } = store;
    for (const id of ['open', 'stuck', 'ended', 'contradicted']) await cards.claim(cardClaim(id, { runId: 'r' }));
    await cards.change('stuck', { state: 'needs-operator', at: 2 });
    for (const id of ['ended', 'contradicted']) await cards.change(id, { state: 'failed', at: 2 });
    const event = cardEvent('p-1', { merchantRequestId: 'contradicted' });
    await cards.receive(event);
    await cards.recordEventEffect(event, { merchantRequestId: 'contradicted', effect: 'contradicts', at: 3 });
    expect((await store.openWork(0)).cardsForPeople).toBe(2);
    expect((await cards.forPeople()).map(({ merchantRequestId }) => merchantRequestId)).toEqual([
      'stuck',
      'contradicted',
    ]);
  });

  it('is read by indexes of what is open', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b-1', ['a']));
    if (!test.url().startsWith('file:')) return;
    const file = new DatabaseSync(test.url().slice('file:'.length), { readOnly: true });
    const plan = (query: string): string =>
      file
        .prepare(`explain query plan ${query}`)
        .all()
        .map(({ detail }) => String(detail))
        .join('; ');
    expect(
      plan(
        'select state, count(*), min(created_at), min(state_since) from payouts where ended_at is null group by state',
      ),
    ).toMatch(/^SCAN payouts USING COVERING INDEX payouts_open$/);
    expect(
      plan(
        `select count(distinct reference), min(sent_at) from send_attempts where resolved is null and (outcome is null or
         outcome = 'ambiguous') and sent_at < 5 and exists (select reference from open_orders where
         open_orders.reference = send_attempts.reference and open_orders.order_id is null)`,
      ),
    ).toContain('send_attempts USING INDEX send_attempts_unknown (sent_at<?)');
    expect(plan('select kind, count(*) from incidents where acknowledged_at is null group by kind')).toMatch(
      /^SCAN incidents USING INDEX incidents_open/,
    );
    const forPeople = "from card_payments where state = 'needs-operator' or contradicted_at is not null";
    for (const query of [`select count(*) ${forPeople}`, `select * ${forPeople} order by updated_at`]) {
      expect(plan(query)).toMatch(/^SCAN card_payments USING INDEX card_payments_for_people$/);
    }
    file.close();
  });
});
