import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import type { ClaimOutcome, PayoutRecord, Store } from '../../src/store/store.ts';
import { batchClaim, claimRow, documentIds, payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

async function batchRows(store: Store, batchId: string): Promise<PayoutRecord[]> {
  const rows: PayoutRecord[] = [];
  for await (const row of store.rows(batchId)) rows.push(row);
  return rows;
}

onEveryStore('claimBatch', (test) => {
  it('inserts every row as received, unclaimed and unreleased', async () => {
    const store = await test.open();
    expect(await store.claimBatch(batchClaim('b1', ['a', 'b'], 1_234))).toEqual({ claimed: true });
    expect(await batchRows(store, 'b1')).toEqual([
      {
        ...claimRow(1, 'a'),
        kind: 'payout',
        uid: 'user-1',
        documentId: 'a',
        generation: 0,
        batchId: 'b1',
        amount: '10.50',
        currency: 'USD',
        soldCurrency: null,
        accountId: 'acc-1',
        beneficiaryId: 'ben-1',
        priority: 1,
        by: 'maker',
        original: null,
        lookAlikeKey: null,
        lookAlikeAccount: null,
        lookAlikeOf: null,
        payee: null,
        state: 'received',
        reason: null,
        reasonCode: null,
        cameBack: null,
        returnedAs: null,
        fundsNeeded: null,
        orderId: null,
        fee: null,
        feeCurrency: null,
        claimRunId: null,
        term: 0,
        assessed: null,
        closedRuns: 0,
        closedAtState: null,
        nextRestartAt: null,
        releasedAt: null,
        createdAt: 1_234,
        updatedAt: 1_234,
        stateSince: 1_234,
        endedAt: null,
        erasedAt: null,
      },
      expect.objectContaining({ row: 2, documentId: 'b' }),
    ]);
    expect(await store.batch('b1')).toEqual({
      batchId: 'b1',
      file: 'b1.csv',
      sha256: 'sha-of-b1',
      by: 'maker',
      control: 'running',
      total: 2,
      message: null,
      messageId: null,
      retryOf: null,
      canary: null,
      controlReason: null,
      heldUntil: null,
      traceparent: null,
      createdAt: 1_234,
      endedAt: null,
      erasedAt: null,
    });
  });

  it('writes nothing when one row is known and names every known row in row order', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a', 'b']));
    const claim = {
      ...batchClaim('b2', []),
      rows: [claimRow(3, 'b'), claimRow(2, 'new'), claimRow(1, 'a', { amount: '9' })],
    };
    const known = (id: string) => {
      const { reference, instruction } = claimRow(1, id);
      return { kind: 'payout', reference, instruction, batchId: 'b1' };
    };
    expect(await store.claimBatch(claim)).toEqual({
      claimed: false,
      known: [
        { row: 1, ...known('a'), samePayload: false },
        { row: 3, ...known('b'), samePayload: true },
      ],
    });
    expect(await store.batch('b2')).toBeUndefined();
    expect(await store.payout(claimRow(1, 'new').reference)).toBeUndefined();
  });

  it('knows a payout that was started without a batch', async () => {
    const store = await test.open();
    await store.claimPayout(payoutClaim('a'));
    expect(await store.claimBatch(batchClaim('b1', ['a']))).toMatchObject({
      claimed: false,
      known: [{ row: 1, batchId: null, samePayload: true }],
    });
  });

  it('knows a document that was taken as another kind, under another reference', async () => {
    const store = await test.open();
    const { reference } = await transferOf(store, 'a');
    expect(await store.claimBatch(batchClaim('b1', ['a']))).toMatchObject({
      claimed: false,
      known: [{ row: 1, kind: 'transfer', reference, samePayload: false }],
    });
    expect(await store.claimPayout(payoutClaim('a'))).toMatchObject({
      samePayload: false,
      record: { kind: 'transfer', reference, term: 1, claimRunId: 'run-1' },
    });
    expect(await store.payout(payoutClaim('a').reference)).toBeUndefined();
  });

  it('takes an id of one user and the same id of another as two payouts', async () => {
    const store = await test.open();
    const rows = [claimRow(1, 'a'), claimRow(2, 'a', { uid: 'user-2' })];
    expect(await store.claimBatch({ ...batchClaim('b1', []), rows })).toEqual({ claimed: true });
  });

  it('refuses a batch that names one document twice and keeps none of it', async () => {
    const store = await test.open();
    await expect(store.claimBatch(batchClaim('b1', ['a', 'b', 'a']))).rejects.toThrow(/unique/i);
    expect(await store.batch('b1')).toBeUndefined();
    expect(await store.payout(claimRow(1, 'b').reference)).toBeUndefined();
  });

  it('refuses a batch under the id of a batch with other rows and keeps none of it', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a']));
    await expect(store.claimBatch(batchClaim('b1', ['b']))).rejects.toThrow(/unique/i);
    expect(await store.payout(claimRow(1, 'b').reference)).toBeUndefined();
  });

  it('claims a batch of more rows than one statement holds', async () => {
    const store = await test.open();
    const claim = batchClaim('big', documentIds(2_345));
    expect(await store.claimBatch(claim)).toEqual({ claimed: true });
    const rows = await batchRows(store, 'big');
    expect(rows.map(({ row, documentId }) => [row, documentId])).toEqual(
      claim.rows.map(({ row, instruction }) => [row, instruction.id]),
    );
    expect(await store.knownClaims(claim.rows)).toHaveLength(2_345);
  });

  it('lets exactly one of many claims of the same batch win at the same time', async () => {
    const stores = await Promise.all([test.open(), test.open(), test.open()]);
    const claim = batchClaim('b1', documentIds(50));
    const outcomes = await Promise.all([...stores, ...stores].map((store) => store.claimBatch(claim)));
    expect(outcomes.filter(({ claimed }) => claimed)).toHaveLength(1);
    for (const outcome of outcomes) {
      if (!outcome.claimed) expect(outcome.known).toHaveLength(50);
    }
  });

  it('puts every reference into exactly one batch, however claims of overlapping rows interleave', async () => {
    const [first, second] = [await test.open(), await test.open()];
    let round = 0;
    const claims = fc.array(
      fc.record({
        connection: fc.boolean(),
        ids: fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { minLength: 1, maxLength: 8 }),
      }),
      { minLength: 2, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(claims, async (asked) => {
        round += 1;
        const batches = asked.map(({ ids }, index) =>
          batchClaim(
            `r${round}-${index}`,
            ids.map((id) => `r${round}-doc${id}`),
          ),
        );
        const outcomes = await Promise.all(
          batches.map((batch, index) => (asked[index]?.connection ? first : second).claimBatch(batch)),
        );
        await expectOneOwnerEach(first, batches, outcomes);
      }),
      { numRuns: 40 },
    );
  });
});

/** The rows of every batch that won are its own; a batch that lost has no row, and met one of another batch. */
async function expectOneOwnerEach(
  store: Store,
  batches: readonly ReturnType<typeof batchClaim>[],
  outcomes: readonly ClaimOutcome[],
): Promise<void> {
  expect(outcomes.some(({ claimed }) => claimed)).toBe(true);
  for (const [index, batch] of batches.entries()) {
    const outcome = outcomes[index];
    const rows = await batchRows(store, batch.batchId);
    if (outcome?.claimed)
      expect(rows.map(({ reference }) => reference)).toEqual(batch.rows.map(({ reference }) => reference));
    else {
      expect(rows).toEqual([]);
      expect(outcome?.known).not.toEqual([]);
      for (const { batchId } of outcome?.known ?? []) expect(batchId).not.toBe(batch.batchId);
    }
  }
}

onEveryStore('claimPayout', (test) => {
  it('inserts and releases the row of a payout that no batch has', async () => {
    const store = await test.open();
    const claim = await store.claimPayout(payoutClaim('a', { by: 'cli', at: 77 }));
    expect(claim).toMatchObject({ isTakenOver: false, samePayload: true, attempts: [], record: { term: 1 } });
    expect(claim.record).toMatchObject({
      batchId: null,
      row: null,
      by: 'cli',
      state: 'preparing',
      claimRunId: 'run-1',
      releasedAt: 77,
      createdAt: 77,
      updatedAt: 77,
    });
    expect(await store.payout(claim.record.reference)).toEqual(claim.record);
  });

  it('takes the free row of a batch and keeps what the batch wrote', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a'], 1_000));
    await store.markReleased([claimRow(1, 'a').reference], 1_500);
    const { record, isTakenOver } = await store.claimPayout(payoutClaim('a', { by: 'someone else', at: 2_000 }));
    expect(isTakenOver).toBe(false);
    expect(record).toMatchObject({
      batchId: 'b1',
      row: 1,
      by: 'maker',
      claimRunId: 'run-1',
      releasedAt: 1_500,
      createdAt: 1_000,
    });
  });

  it('counts a row that runs as released, so that a cancelled batch does not end it', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a', 'b']));
    const { record } = await store.claimPayout(payoutClaim('a', { at: 2_000 }));
    expect(record.releasedAt).toBe(2_000);
    expect(await store.cancelUnreleased('b1', null, { code: 'batch-cancelled', message: 'cancelled' }, 3_000)).toBe(1);
    expect((await store.payout(record.reference))?.state).toBe('preparing');
  });

  it('gives the same run its claim again', async () => {
    const store = await test.open();
    await store.claimPayout(payoutClaim('a'));
    expect((await store.claimPayout(payoutClaim('a', { at: 9_000 }))).record).toMatchObject({
      term: 1,
      updatedAt: 9_000,
    });
  });

  it('gives the claim to the newest run, under the next term', async () => {
    const store = await test.open();
    await store.claimPayout(payoutClaim('a', { runId: 'first' }));
    const later = await store.claimPayout(payoutClaim('a', { runId: 'second' }));
    expect(later).toMatchObject({ isTakenOver: true, record: { claimRunId: 'second', term: 2 } });
    const { reference } = later.record;
    expect(await store.changePayout(reference, { state: 'processing', term: 1, at: 5 })).toBe(false);
    expect(await store.changePayout(reference, { state: 'processing', term: 2, at: 5 })).toBe(true);
    const again = await store.claimPayout(payoutClaim('a', { runId: 'first' }));
    expect(again.record).toMatchObject({ claimRunId: 'first', term: 3 });
  });

  it('reports another payload and leaves the row free for the payout it belongs to', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a']));
    const reused = await store.claimPayout(payoutClaim('a', { runId: 'stranger', payloadDigest: 'another' }));
    expect(reused).toMatchObject({
      samePayload: false,
      record: { claimRunId: null, releasedAt: null, term: 0 },
    });
    expect((await store.claimPayout(payoutClaim('a'))).record.term).toBe(1);
  });

  it('returns the end of a payout that has one', async () => {
    const store = await test.open();
    const { record } = await store.claimPayout(payoutClaim('a'));
    await store.changePayout(record.reference, { state: 'completed', orderId: 'o-1', at: 3_000 });
    const later = await store.claimPayout(payoutClaim('a', { runId: 'second' }));
    expect(later.record).toMatchObject({ state: 'completed', orderId: 'o-1', endedAt: 3_000 });
  });

  it('returns the attempts of the payout and of its derived references, oldest first', async () => {
    const store = await test.open();
    const claim = payoutClaim('a', { derivedReferences: ['derived'] });
    const sent = { runId: 'r', activityId: '1' };
    await store.recordAttempt({ reference: claim.reference, attempt: 1, sentAt: 20, ...sent });
    await store.recordAttempt({ reference: 'derived', attempt: 1, sentAt: 10, ...sent });
    await store.recordAttempt({ reference: 'unrelated', attempt: 1, sentAt: 5, ...sent });
    const { attempts } = await store.claimPayout(claim);
    expect(attempts.map(({ reference }) => reference)).toEqual(['derived', claim.reference]);
  });

  it('gives every one of many runs at the same time a term of its own', async () => {
    const stores = await Promise.all([test.open(), test.open()]);
    const runs = documentIds(12, 'run');
    const claims = await Promise.all(
      runs.map((runId, index) => stores[index % 2]?.claimPayout(payoutClaim('a', { runId }))),
    );
    expect(claims.map((claim) => claim?.record.term).sort((a = 0, b = 0) => a - b)).toEqual(
      runs.map((_, index) => index + 1),
    );
    const last = claims.find((claim) => claim?.record.term === runs.length);
    const row = await stores[0]?.payout(last?.record.reference ?? '');
    expect(row).toMatchObject({ term: runs.length, claimRunId: last?.record.claimRunId });
  });

  it('of a large file leaves turns to others, and is one all the same: they see all of its rows or none', async () => {
    const [store, other] = [await test.open(), await test.open()];
    const rows = 3_000;
    let [turns, isOver] = [0, false];
    const seen = new Set<number>();
    const watch = (async () => {
      for (; !isOver; turns += 1) {
        if (turns % 10 === 0) seen.add((await other.batch('b-large'))?.total ?? 0);
        await setImmediate();
      }
    })();
    await store.claimBatch(batchClaim('b-large', documentIds(rows)));
    isOver = true;
    await watch;
    expect(turns).toBeGreaterThanOrEqual(rows / 100);
    expect([...seen].filter((total) => total !== 0 && total !== rows)).toEqual([]);
    expect((await other.batch('b-large'))?.total).toBe(rows);
  });

  it('and a batch that takes the same row at the same time agree on who owns it', async () => {
    const [batches, payouts] = [await test.open(), await test.open()];
    for (const id of documentIds(20)) {
      const [batch, payout] = await Promise.all([
        batches.claimBatch(batchClaim(`b-${id}`, [id])),
        payouts.claimPayout(payoutClaim(id)),
      ]);
      expect(payout.record.term).toBe(1);
      expect(batch.claimed).toBe((await payouts.payout(payout.record.reference))?.batchId === `b-${id}`);
    }
  });
});

/** Claims a document as a transfer. */
async function transferOf(store: Store, id: string): Promise<PayoutRecord> {
  const { instruction } = claimRow(1, id);
  const reference = referenceOf(instruction.uid, id, 'transfer');
  const claim = { ...payoutClaim(id), kind: 'transfer' as const, reference, workflowId: `transfer/${reference}` };
  return (await store.claimPayout(claim)).record;
}
