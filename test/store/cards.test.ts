import { expect, it } from 'vitest';
import { CARD_ENDS, CARD_STATES } from '../../src/domain/card-payment.ts';
import { cardClaim } from './card-samples.ts';
import { documentIds } from './samples.ts';
import { onEveryStore } from './stores.ts';

onEveryStore('Card payments', (test) => {
  it('are claimed once; the same again finds the claim and another payload does not take it', async () => {
    const { cards } = await test.open();
    const first = await cards.claim(cardClaim('m-1', { by: 'shop' }));
    expect(first).toMatchObject({ samePayload: true, holder: 'this-run' });
    expect(first.record).toEqual({
      merchantRequestId: 'm-1',
      workflowId: 'card/m-1',
      amount: '10.50',
      currency: 'USD',
      paymentType: 'DEBIT',
      digest: 'digest-1',
      by: 'shop',
      clientSecretSha256: null,
      bin: null,
      lastFour: null,
      state: 'received',
      reason: null,
      paymentId: null,
      firstRunId: null,
      runId: null,
      contradictedAt: null,
      createdAt: 1_000,
      updatedAt: 1_000,
      endedAt: null,
    });
    expect(await cards.claim(cardClaim('m-1', { by: 'other' }))).toMatchObject({
      samePayload: true,
      record: { by: 'shop' },
    });
    const foreignMaker = cardClaim('m-1', { by: 'other', isMakersOwn: true, clientSecretSha256: 'x' });
    expect(await cards.claim(foreignMaker)).toMatchObject({
      samePayload: false,
      record: { by: 'shop', clientSecretSha256: null },
    });
    expect(await cards.claim(cardClaim('m-1', { by: 'shop', isMakersOwn: true }))).toMatchObject({ samePayload: true });
    const foreign = cardClaim('m-1', { digest: 'digest-2', amount: '99', runId: 'run-x', clientSecretSha256: 'x' });
    expect(await cards.claim(foreign)).toMatchObject({
      samePayload: false,
      record: { amount: '10.50', runId: null, clientSecretSha256: null },
    });
  });

  it('change in no column that a change may not name, in any spelling', async () => {
    const { cards } = await test.open();
    const { record } = await cards.claim(cardClaim('m-1'));
    const others = { State: 'succeeded', digest: 'x', by: 'carol', clientSecretSha256: 'x', ended_at: 1, createdAt: 9 };
    await cards.change('m-1', { ...others, state: 'processing', at: 3_000 } as never);
    expect(await cards.get('m-1')).toEqual({ ...record, state: 'processing', updatedAt: 3_000 });
  });

  it('have one payload, however many claim at once with others', async () => {
    const stores = await Promise.all([test.open(), test.open()]);
    for (const id of documentIds(20)) {
      const claimed = await Promise.all(
        stores.map(({ cards }, index) => cards.claim(cardClaim(id, { digest: `digest-${index}`, amount: `${index}` }))),
      );
      expect(claimed.filter(({ samePayload }) => samePayload)).toHaveLength(1);
      expect(new Set(claimed.map(({ record }) => record.amount)).size).toBe(1);
    }
  });

  it('show a run that another one has held them, as often as it asks', async () => {
    const { cards } = await test.open();
    await cards.claim(cardClaim('m-1'));
    expect(await cards.claim(cardClaim('m-1', { runId: 'run-1' }))).toMatchObject({
      holder: 'this-run',
      record: { runId: 'run-1' },
    });
    expect(await cards.claim(cardClaim('m-1', { runId: 'run-1' }))).toMatchObject({ holder: 'this-run' });
    for (let asked = 0; asked < 2; asked += 1) {
      expect(await cards.claim(cardClaim('m-1', { runId: 'run-2' }))).toMatchObject({
        holder: 'other-run',
        record: { runId: 'run-2' },
      });
    }
    expect(await cards.claim(cardClaim('m-1'))).toMatchObject({ holder: 'other-run', record: { runId: 'run-2' } });
  });

  it('are held by one of two runs that claim at once', async () => {
    const stores = await Promise.all([test.open(), test.open()]);
    for (const id of documentIds(20)) {
      const claimed = await Promise.all(
        stores.map(({ cards }, index) => cards.claim(cardClaim(id, { runId: `run-${index}` }))),
      );
      expect(claimed.map(({ holder }) => holder).sort()).toEqual(['other-run', 'this-run']);
    }
  });

  it('take the newest client secret and keep it when none is given', async () => {
    const { cards } = await test.open();
    await cards.claim(cardClaim('m-1', { clientSecretSha256: 'a' }));
    await cards.claim(cardClaim('m-1', { clientSecretSha256: 'b' }));
    await cards.claim(cardClaim('m-1', { runId: 'run-1' }));
    expect(await cards.get('m-1')).toMatchObject({ clientSecretSha256: 'b', runId: 'run-1' });
  });

  it('change what is named and keep the rest', async () => {
    const { cards } = await test.open();
    await cards.claim(cardClaim('m-1'));
    const reason = { code: 'card-needed', message: 'waits' } as const;
    await cards.change('m-1', { state: 'awaiting-card', reason, bin: '411111', lastFour: '1111', at: 2_000 });
    await cards.change('m-1', { state: 'setting-up', amount: '11.00', at: 3_000 });
    expect(await cards.get('m-1')).toMatchObject({
      state: 'setting-up',
      reason,
      bin: '411111',
      lastFour: '1111',
      amount: '11.00',
      paymentId: null,
      updatedAt: 3_000,
      endedAt: null,
    });
    expect(await cards.change('m-1', { state: 'processing', reason: null, paymentId: 'p-1', at: 4_000 })).toMatchObject(
      {
        reason: null,
        paymentId: 'p-1',
      },
    );
  });

  it.each(CARD_ENDS)('never leave the end %s', async (end) => {
    const { cards } = await test.open();
    await cards.claim(cardClaim('m-1', { runId: 'run-1' }));
    const ended = await cards.change('m-1', { state: end, paymentId: 'p-1', at: 2_000 });
    expect(ended).toMatchObject({ state: end, endedAt: 2_000 });
    for (const state of CARD_STATES) {
      expect(await cards.change('m-1', { state, paymentId: 'p-2', at: 3_000 })).toEqual(ended);
    }
    expect((await cards.claim(cardClaim('m-1', { runId: 'run-2' }))).record).toMatchObject({
      state: end,
      endedAt: 2_000,
    });
  });

  it('have the first of two ends that come at once', async () => {
    const stores = await Promise.all([test.open(), test.open()]);
    const ends = ['succeeded', 'failed'] as const;
    for (const id of documentIds(20)) {
      await stores[0]?.cards.claim(cardClaim(id));
      const stored = await Promise.all(
        stores.map(({ cards }, index) => cards.change(id, { state: ends[index] ?? 'failed', at: 2_000 })),
      );
      expect(new Set(stored.map(({ state }) => state)).size).toBe(1);
    }
  });

  it('are found by each of their ids and listed newest first', async () => {
    const { cards } = await test.open();
    await cards.claim(cardClaim('m-1', { at: 1_000 }));
    await cards.claim(cardClaim('m-2', { at: 2_000 }));
    await cards.addRequest('r-1', 'm-1');
    await cards.addRequest('r-1', 'm-2');
    await cards.linkPayment('p-1', 'm-1', 3_000);
    await cards.linkPayment('p-0', 'm-1', 4_000);
    for (const id of ['m-1', 'r-1', 'p-1', 'p-0']) expect((await cards.find(id))?.merchantRequestId).toBe('m-1');
    expect(await cards.find('p-9')).toBeUndefined();
    expect(await cards.ownerOfRequest('r-1')).toBe('m-1');
    expect(await cards.ownerOfRequest('r-9')).toBeUndefined();
    expect(await cards.ownerOfPayment('p-9')).toBeUndefined();
    expect(await cards.paymentsOf('m-1')).toEqual(['p-1', 'p-0']);
    expect((await cards.list(10)).map(({ merchantRequestId }) => merchantRequestId)).toEqual(['m-2', 'm-1']);
    expect(await cards.list(1)).toHaveLength(1);
    await cards.claim(cardClaim('m-3', { at: 500, by: 'alice' }));
    const seenBy = async (currencies: readonly string[] | undefined) =>
      (await cards.list(9, { by: 'alice', currencies })).map(({ merchantRequestId }) => merchantRequestId);
    expect(await seenBy([])).toEqual(['m-3']);
    expect(await seenBy(['GBP'])).toEqual(['m-3']);
    expect(await seenBy(['GBP', 'USD'])).toEqual(['m-2', 'm-1', 'm-3']);
    expect(await seenBy(undefined)).toEqual(['m-2', 'm-1', 'm-3']);
  });

  it('know the payouts that wait for them', async () => {
    const { cards } = await test.open();
    for (const payout of ['payout/b', 'payout/a', 'payout/b']) await cards.addWaiter('m-1', payout);
    await cards.addWaiter('m-2', 'payout/c');
    expect(await cards.waiters('m-1')).toEqual(['payout/a', 'payout/b']);
  });
});
