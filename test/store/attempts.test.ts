import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { SENDER_LIFE_MS } from '../../src/domain/submission.ts';
import type { Store } from '../../src/store/store.ts';
import { documentIds, payoutClaim, SENT_PAYMENT } from './samples.ts';
import { onEveryStore } from './stores.ts';

const SENT = { reference: 'ref', attempt: 1, runId: 'run-1', activityId: '7', sentAt: 1_000 };

onEveryStore('Send attempts', (test) => {
  it('are recorded once and keep the first sender', async () => {
    const store = await test.open();
    expect(await store.recordAttempt(SENT)).toBe('begun');
    expect(await store.recordAttempt({ ...SENT, runId: 'run-2', sentAt: 2_000 })).toEqual({ to: 1, because: 'taken' });
    expect(await store.attempts('ref')).toEqual([
      {
        ...SENT,
        outcome: null,
        orderId: null,
        code: null,
        answeredAt: null,
        resolved: null,
        request: null,
        listedFrom: null,
      },
    ]);
  });

  it('are recorded by exactly one of many senders at the same time', async () => {
    const stores = await Promise.all([test.open(), test.open()]);
    const recorded = await Promise.all(
      documentIds(20, 'run').map((runId, index) => stores[index % 2]?.recordAttempt({ ...SENT, runId })),
    );
    expect(recorded.filter((begun) => begun === 'begun')).toHaveLength(1);
  });

  it('keep their result, and only theirs', async () => {
    const store = await test.open();
    await store.recordAttempt(SENT);
    await store.finishAttempt('ref', 1, { outcome: 'refused', code: 2010 });
    await store.recordAttempt({ ...SENT, attempt: 2, sentAt: 2_000 });
    await store.recordAttempt({ ...SENT, attempt: 3, sentAt: 2_000 + SENDER_LIFE_MS });
    await store.finishAttempt('ref', 3, { outcome: 'accepted', orderId: 'o-1' });
    expect(
      (await store.attempts('ref')).map(({ attempt, outcome, orderId, code }) => [attempt, outcome, orderId, code]),
    ).toEqual([
      [1, 'refused', null, 2010],
      [2, null, null, null],
      [3, 'accepted', 'o-1', null],
    ]);
  });

  it('keep the bytes they were sent with', async () => {
    const store = await test.open();
    const request = {
      accountId: 'a',
      beneficiaryId: 'b',
      payeeDigest: 'of-payee',
      amount: '1.00',
      currency: 'USD',
      expiredAt: 7,
      note: 'n',
    };
    await store.recordAttempt({ ...SENT, request });
    expect((await store.attempts('ref'))[0]?.request).toEqual(request);
  });

  it('are seen by another connection as soon as they are recorded', async () => {
    const [writer, reader] = [await test.open(), await test.open()];
    await writer.recordAttempt(SENT);
    expect(await reader.attempts('ref')).toHaveLength(1);
  });
});

const BECAUSE = { code: 'approval-rejected', message: 'an approver rejected the payout' };

/** A payout that one run has claimed. */
async function claimedPayout(store: Store, id = 'a') {
  const { record } = await store.claimPayout(payoutClaim(id, { runId: 'first' }));
  const { reference, term } = record;
  const sent = { ...SENT, reference, claim: { reference, term } };
  const end = {
    reference,
    term,
    state: 'rejected' as const,
    reason: BECAUSE,
    resolved: {},
    references: [reference],
    at: 9,
  };
  return { reference, sent, end };
}

onEveryStore('An attempt under a claim', (test) => {
  it('is not begun by a run that is not the holder any more, nor for a payout with an end', async () => {
    const store = await test.open();
    const { reference, sent } = await claimedPayout(store);
    expect(await store.recordAttempt(sent)).toBe('begun');
    await store.finishAttempt(reference, 1, { outcome: 'not-sent' });
    await store.claimPayout(payoutClaim('a', { runId: 'second' }));
    expect(await store.recordAttempt({ ...sent, attempt: 2 })).toBe('superseded');
    const now = { ...sent, attempt: 2, claim: { reference, term: 2 } };
    expect(await store.recordAttempt(now)).toBe('begun');
    await store.changePayout(reference, { state: 'completed', orderId: 'o-1', at: 5 });
    expect(await store.recordAttempt({ ...now, attempt: 3 })).toBe('superseded');
  });

  it('waits for another one that may still be about to send, and takes no number behind a used one', async () => {
    const store = await test.open();
    await store.recordAttempt({ ...SENT, attempt: 2 });
    expect(await store.recordAttempt({ ...SENT, attempt: 1 })).toEqual({ to: 2, because: 'taken' });
    const whileLive = { ...SENT, attempt: 3, sentAt: SENT.sentAt + SENDER_LIFE_MS - 1 };
    expect(await store.recordAttempt(whileLive)).toEqual({ to: 2, because: 'live' });
    expect(await store.recordAttempt({ ...SENT, attempt: 3, sentAt: SENT.sentAt + SENDER_LIFE_MS })).toBe('begun');
  });

  it.each([
    ['accepted', 'notified'],
    ['exists', 'notified'],
    ['ambiguous', 'begun'],
    ['refused', 'begun'],
    ['not-sent', 'begun'],
  ] as const)('after one that was %s it is %s where an answer is for life', async (outcome, begun) => {
    const store = await test.open();
    await store.recordAttempt(SENT);
    await store.finishAttempt('ref', 1, { outcome });
    expect(await store.recordAttempt({ ...SENT, attempt: 2, isFinal: true })).toBe(begun);
  });
});

onEveryStore('An end without money', (test) => {
  it.each([['accepted'], ['exists'], ['ambiguous'], [null]] as const)(
    'is not stored beside an attempt that was %s and that the run has not resolved',
    async (outcome) => {
      const store = await test.open();
      const { reference, sent, end } = await claimedPayout(store);
      await store.recordAttempt(sent);
      if (outcome !== null) await store.finishAttempt(reference, 1, { outcome });
      expect(await store.closeUnpaid(end)).toBe('in-doubt');
      expect((await store.payout(reference))?.state).toBe('preparing');
      expect(await store.closeUnpaid({ ...end, resolved: { [reference]: { upTo: 1, as: 'unpaid' } } })).toBe('closed');
      expect(await store.payout(reference)).toMatchObject({ state: 'rejected', reason: BECAUSE, endedAt: 9 });
      expect(await store.attempts(reference)).toMatchObject([{ resolved: 'unpaid' }]);
    },
  );

  it('is not stored as absent beside an order that the bank has accepted', async () => {
    const store = await test.open();
    const { reference, sent, end } = await claimedPayout(store);
    await store.recordAttempt(sent);
    await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'o-1' });
    const resolved = { upTo: 1, as: 'absent' } as const;
    expect(await store.closeUnpaid({ ...end, resolved: { [reference]: resolved } })).toBe('in-doubt');
    expect(await store.attempts(reference)).toMatchObject([{ outcome: 'accepted', resolved: null }]);
  });

  it.each([['refused'], ['not-sent']] as const)('is stored beside an attempt that was %s', async (outcome) => {
    const store = await test.open();
    const { reference, sent, end } = await claimedPayout(store);
    await store.recordAttempt(sent);
    await store.finishAttempt(reference, 1, { outcome });
    expect(await store.closeUnpaid(end)).toBe('closed');
  });

  it('is not stored by a run that is not the holder any more', async () => {
    const store = await test.open();
    const { reference, end } = await claimedPayout(store);
    await store.claimPayout(payoutClaim('a', { runId: 'second' }));
    expect(await store.closeUnpaid(end)).toBe('superseded');
    expect((await store.payout(reference))?.endedAt).toBeNull();
  });

  it('and an attempt begun at the same time exclude each other', async () => {
    const [one, other] = [await test.open(), await test.open()];
    for (const id of documentIds(20)) {
      const { record } = await one.claimPayout(payoutClaim(id));
      const { reference, term } = record;
      const end = {
        reference,
        term,
        state: 'cancelled' as const,
        reason: BECAUSE,
        resolved: {},
        references: [reference],
      };
      const [begun, closing] = await Promise.all([
        other.recordAttempt({ ...SENT, reference, claim: { reference, term } }),
        one.closeUnpaid({ ...end, at: 9 }),
      ]);
      expect([
        ['begun', 'in-doubt'],
        ['superseded', 'closed'],
      ]).toContainEqual([begun, closing]);
    }
  });

  it('is contradicted by an order that a late answer names', async () => {
    const store = await test.open();
    const { reference, sent, end } = await claimedPayout(store);
    await store.recordAttempt(sent);
    await store.closeUnpaid({ ...end, resolved: { [reference]: { upTo: 1, as: 'absent' } } });
    await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'o-1' });
    expect(await store.attempts(reference)).toMatchObject([{ resolved: null, orderId: 'o-1' }]);
  });
});

onEveryStore('Orders that a list must show', (test) => {
  it('are those that the bank has accepted, and those that it has shown after their answers were lost', async () => {
    const store = await test.open();
    for (const [id, outcome, orderId] of [
      ['accepted', 'accepted', 'o-1'],
      ['found', 'ambiguous', 'o-2'],
      ['lost', 'ambiguous', null],
    ] as const) {
      const { reference, sent } = await claimedPayout(store, id);
      await store.recordAttempt(sent);
      await store.finishAttempt(reference, 1, { outcome, ...(outcome === 'accepted' && { orderId }) });
      await store.changePayout(reference, {
        state: 'processing',
        reason: null,
        ...(orderId && { orderId }),
        at: 3_000,
      });
    }
    const key = { uid: 'user-1', currency: 'USD' };
    const range = { from: 0, to: 5_000, completedFrom: 0 };
    const ids = (await store.acceptedIn(key, range)).map(({ orderId }) => orderId);
    expect(ids.sort()).toEqual(['o-1', 'o-2']);
    expect(await store.acceptedIn({ ...key, currency: 'EUR' }, range)).toEqual([]);
  });

  it('are no older than the attempt that may have made them', async () => {
    const store = await test.open();
    const { reference, sent } = await claimedPayout(store);
    await store.recordAttempt({ ...sent, sentAt: 1_000 });
    await store.finishAttempt(reference, 1, { outcome: 'ambiguous' });
    await store.recordAttempt({ ...sent, attempt: 2, sentAt: 5_000 });
    await store.finishAttempt(reference, 2, { outcome: 'accepted', orderId: 'o-2' });
    await store.changePayout(reference, { state: 'processing', orderId: 'o-2', at: 5_000 });
    const until = (to: number) =>
      store.acceptedIn({ uid: 'user-1', currency: 'USD' }, { from: 0, to, completedFrom: 0 });
    expect(await until(4_999)).toEqual([]);
    expect(new Set((await until(5_000)).map(({ orderId }) => orderId))).toEqual(new Set(['o-2']));
  });
});

const DAY = { since: 500 };

onEveryStore('What was handed to the bank', (test) => {
  const CLAIMS = [
    ['payout', 'payment', { ...SENT_PAYMENT, accountId: 'usd-1' }],
    [
      'transfer',
      'transfer',
      {
        sourceAccountId: 'usd-1',
        destinationAccountId: 'usd-2',
        amount: '10.50',
        currency: 'USD',
        destinationUid: 'user-1',
        expiredAt: 9,
      },
    ],
    [
      'exchange',
      'exchange',
      {
        sellAccountId: 'eur-1',
        buyAccountId: 'usd-2',
        amount: '10.50',
        currency: 'USD',
        sellCurrency: 'EUR',
        quotedSellAmount: '9.66',
        expiredAt: 9,
      },
    ],
  ] as const;

  it('is counted by kind and receiver, and an exchange by what it sells as well', async () => {
    const store = await test.open();
    for (const [kind, orderKind, request] of CLAIMS) {
      const reference = referenceOf('user-1', kind, orderKind);
      await store.claimPayout({ ...payoutClaim(kind), kind, reference, workflowId: `${kind}/${reference}` });
      await store.recordAttempt({ ...SENT, reference, request });
    }
    const handed = async (currency: string) =>
      (await store.handedToBank({ currency, ...DAY }))
        .map(({ kind, amount, payee }) => `${kind} ${amount} ${payee}`)
        .sort();
    expect(await handed('USD')).toEqual(['exchange 10.50 usd-2', 'payout 10.50 ben-1', 'transfer 10.50 usd-2']);
    expect(await handed('EUR')).toEqual(['exchange 9.66 usd-2']);
    expect(await handed('GBP')).toEqual([]);
  });
});
