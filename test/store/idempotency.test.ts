import { expect, it } from 'vitest';
import type { IdempotencyHold } from '../../src/store/store.ts';
import { onEveryStore } from './stores.ts';

const hold = (owner: string, more: Partial<IdempotencyHold> = {}): IdempotencyHold => ({
  caller: 'erp',
  key: 'key-1',
  requestSha256: 'sha-1',
  batchId: `batch of ${owner}`,
  owner,
  at: 1_000,
  heldUntil: 2_000,
  ...more,
});

onEveryStore('idempotency keys', (store) => {
  it('one of many takes a key, and its answer is that of all', async () => {
    const [one, two] = [await store.open(), await store.open()];
    const takings = await Promise.all([one, two, one, two].map((it, index) => it.takeKey(hold(`owner ${index}`))));
    expect(takings.map(({ outcome }) => outcome).sort()).toEqual(['in-use', 'in-use', 'in-use', 'taken']);
    const owner = `owner ${takings.findIndex(({ outcome }) => outcome === 'taken')}`;
    await one.answerKey({ caller: 'erp', key: 'key-1', owner }, { status: 202, body: 'first' });
    await one.answerKey({ caller: 'erp', key: 'key-1', owner }, { status: 500, body: 'second' });
    expect(await two.takeKey(hold('later', { at: 9_000 }))).toEqual({
      outcome: 'answered',
      status: 202,
      body: 'first',
      batchId: `batch of ${owner}`,
    });
  });

  it('a key identifies one request of one caller', async () => {
    const it = await store.open();
    await it.takeKey(hold('first'));
    expect(await it.takeKey(hold('other', { requestSha256: 'sha-2', at: 9_000 }))).toEqual({
      outcome: 'other-request',
    });
    expect((await it.takeKey(hold('other', { caller: '', requestSha256: 'sha-2' }))).outcome).toBe('taken');
  });

  it('who lets the time pass is followed, with the batch id of the first; a late answer of his does not count', async () => {
    const it = await store.open();
    await it.takeKey(hold('first'));
    expect(await it.takeKey(hold('early', { at: 2_000, heldUntil: 3_000 }))).toEqual({ outcome: 'in-use' });
    await it.holdKey({ caller: 'erp', key: 'key-1', owner: 'first' }, 4_000);
    expect(await it.takeKey(hold('still early', { at: 3_000 }))).toEqual({ outcome: 'in-use' });
    const next = hold('next', { at: 4_001, heldUntil: 9_000 });
    expect(await it.takeKey(next)).toEqual({ outcome: 'taken', batchId: 'batch of first' });
    await it.answerKey({ caller: 'erp', key: 'key-1', owner: 'first' }, { status: 202, body: 'late' });
    expect(await it.takeKey(hold('third', { at: 5_000 }))).toEqual({ outcome: 'in-use' });
  });

  it('is forgotten when it is old', async () => {
    const it = await store.open();
    await it.takeKey(hold('first'));
    await it.forgetKeys(1_000);
    expect((await it.takeKey(hold('second'))).outcome).toBe('in-use');
    await it.forgetKeys(1_001);
    expect(await it.takeKey(hold('second'))).toEqual({ outcome: 'taken', batchId: 'batch of second' });
  });
});
