import { expect, it } from 'vitest';
import type { SignedDecision } from '../../src/domain/authority.ts';
import type { PlannedRow } from '../../src/store/store.ts';
import { batchClaim, documentIds } from './samples.ts';
import { onEveryStore } from './stores.ts';

const signed = (id: string, more: Partial<SignedDecision> = {}): SignedDecision => ({
  id,
  storeId: 'store',
  question: 'payout',
  decision: 'approve',
  reference: 'batch',
  digest: 'plan/2500/root',
  subject: 'bob',
  remark: '',
  signedAt: 1,
  expiresAt: 2,
  credential: 'key',
  signature: 'sig',
  ...more,
});

onEveryStore('A plan that is signed', (test) => {
  const claim = batchClaim('batch', documentIds(2_500));
  const rows: PlannedRow[] = claim.rows.map(({ reference }, index) => ({
    reference,
    digest: `digest ${index}`,
    index,
    path: ['left', 'right'],
  }));

  it('is found by each of its rows, with its digest and proof, in the order in which it came', async () => {
    const store = await test.open();
    await store.claimBatch(claim);
    expect(await store.takeSignedPlan(signed('b'), rows, 5)).toBe(true);
    expect(await store.takeSignedPlan(signed('a', { subject: 'carol' }), rows, 6)).toBe(true);
    expect(await store.takeSignedPlan(signed('a', { subject: 'carol' }), rows, 7)).toBe(false);
    const [last] = rows.slice(-1);
    const about = { batchId: 'batch', reference: last?.reference ?? '', question: 'payout' } as const;
    const planned = { rowDigest: 'digest 2499', inclusion: { index: 2_499, path: ['left', 'right'] } };
    expect(await store.plannedDecisionsOf(about)).toEqual([
      { ...signed('b'), takenAt: 5, ...planned },
      { ...signed('a', { subject: 'carol' }), takenAt: 6, ...planned },
    ]);
    expect(await store.plannedDecisionsOf({ ...about, reference: 'other' })).toEqual([]);
    expect(await store.plannedDecisionsOf({ ...about, question: 'bank' })).toEqual([]);
    expect(await store.plannedDecisionsOf({ ...about, batchId: 'other' })).toEqual([]);
    expect((await store.plansOf('batch')).map(({ id }) => id)).toEqual(['b', 'a']);
    expect((await store.auditEntriesOf('batch')).map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'maker batch claimed',
      'bob approve, signed',
      'carol approve, signed',
    ]);
  });

  it('names those of its rows that ask its question', async () => {
    const store = await test.open();
    await store.claimBatch(claim);
    await store.takeSignedPlan(signed('a'), rows.slice(0, 3), 5);
    for (const { reference } of rows.slice(1, 4)) {
      await store.changePayout(reference, { state: 'awaiting-approval', at: 6 });
    }
    await store.changePayout(rows[2]?.reference ?? '', { state: 'awaiting-bank-approval', at: 7 });
    const plan = { digest: 'plan/2500/root', question: 'payout' } as const;
    expect(await store.awaitingUnder(plan)).toEqual([`payout/${rows[1]?.reference}`]);
    expect(await store.awaitingUnder({ ...plan, question: 'bank' })).toEqual([`payout/${rows[2]?.reference}`]);
    expect(await store.awaitingUnder({ ...plan, digest: 'plan/1/root' })).toEqual([]);
  });
});

onEveryStore('Decisions that are signed', (test) => {
  it('are in the order of the log, by any clock of the machine that took them', async () => {
    const store = await test.open();
    expect(await store.lastDecisionAt()).toBe(0);
    for (const [id, at] of [
      ['c', 5],
      ['b', 5],
      ['a', 3],
    ] as const) {
      await store.takeSignedDecision(signed(id, { reference: 'row', digest: 'paid' }), at);
    }
    const taken = await store.signedDecisionsOf({ reference: 'row', question: 'payout', digest: 'paid' });
    expect(taken.map(({ id, takenAt }) => [id, takenAt])).toEqual([
      ['c', 5],
      ['b', 6],
      ['a', 7],
    ]);
    expect(await store.lastDecisionAt()).toBe(7);
  });
});

onEveryStore('A decision that is signed', (test) => {
  it('is stored with what its signature covers, and was taken when it came', async () => {
    const store = await test.open();
    const about = { reference: 'r', digest: 'd' };
    await store.takeSignedDecision(signed('a', { ...about, decision: 'reject', remark: 'no' }), 5);
    const early = { taken_at: 0, used_at: 1, store_id: 'other', anything: 1, ...signed('b', about) };
    expect(await store.takeSignedDecision(early, 6)).toBe(true);
    const found = await store.signedDecisionsOf({ ...about, question: 'payout' });
    expect(found.map(({ id, takenAt, storeId }) => [id, takenAt, storeId])).toEqual([
      ['a', 5, 'store'],
      ['b', 6, 'store'],
    ]);
    expect(await store.useSignedDecision('b', 7)).toBe(true);
  });
});
