import { expect, it } from 'vitest';
import { batchClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

onEveryStore('Batches', (test) => {
  it('are listed newest first, up to the limit', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('old', ['a'], 1_000));
    await store.claimBatch(batchClaim('new', ['b'], 2_000));
    expect((await store.batches(10)).map(({ batchId }) => batchId)).toEqual(['new', 'old']);
    expect((await store.batches(1)).map(({ batchId }) => batchId)).toEqual(['new']);
    await store.claimBatch(batchClaim('older', ['c'], 1_000));
    const [first] = await store.batches(1);
    expect((await store.batches(1, first)).map(({ batchId }) => batchId)).toEqual(['older']);
    expect((await store.batches(9, first)).map(({ batchId }) => batchId)).toEqual(['older', 'old']);
    expect(await store.batch('unknown')).toBeUndefined();
  });

  it('keep their control flag', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a']));
    await store.controlBatch({ batchId: 'b1', control: 'paused', by: 'alice', at: 1 });
    expect((await store.batch('b1'))?.control).toBe('paused');
  });

  it('are unended until their end is set, and again when it is cleared', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', [], 1_000));
    await store.claimBatch(batchClaim('b2', ['b'], 2_000));
    await store.endBatch('b1', 3_000);
    expect((await store.batch('b1'))?.endedAt).toBe(3_000);
    expect((await store.unendedBatches()).map(({ batchId }) => batchId)).toEqual(['b2']);
    await store.reopenBatch('b1');
    expect((await store.unendedBatches()).map(({ batchId }) => batchId)).toEqual(['b1', 'b2']);
  });
});
