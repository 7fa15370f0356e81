import { expect, it } from 'vitest';
import type { OriginalMessage } from '../../src/domain/bank-message.ts';
import type { RefusedRow } from '../../src/store/store.ts';
import { batchClaim, claimRow } from './samples.ts';
import { onEveryStore } from './stores.ts';

const MESSAGE: OriginalMessage = {
  format: 'pain.001.001.09',
  messageId: 'MSG-1',
  createdAt: '2026-03-31T10:00:00',
  transactions: '2',
  controlSum: '21.00',
  payments: [{ paymentId: 'PMT-1' }],
};
const ORIGINAL = { payment: 0, endToEndId: 'a', amount: '10.50', currency: 'USD' };

onEveryStore('what a batch was handed over as', (test) => {
  it('is kept with it: its message, the ids of its rows, and the batch it pays again', async () => {
    const store = await test.open();
    const rows = [{ ...claimRow(1, 'a'), original: ORIGINAL, generation: 1, lookAlikeOf: 'earlier' }];
    await store.claimBatch({ ...batchClaim('b1', []), rows, message: MESSAGE, retryOf: 'b0' });
    expect(await store.batch('b1')).toMatchObject({ message: MESSAGE, retryOf: 'b0', total: 1 });
    expect(await store.payout(claimRow(1, 'a').reference)).toMatchObject({
      original: ORIGINAL,
      generation: 1,
      lookAlikeOf: 'earlier',
    });
  });

  it('is found by its message id, the latest first', async () => {
    const store = await test.open();
    expect(await store.batchOfMessage('MSG-1')).toBeUndefined();
    await store.claimBatch({ ...batchClaim('b1', ['a'], 1_000), message: MESSAGE });
    await store.claimBatch({ ...batchClaim('b2', ['b'], 2_000), message: MESSAGE });
    await store.claimBatch(batchClaim('b3', ['c'], 3_000));
    expect((await store.batchOfMessage('MSG-1'))?.batchId).toBe('b2');
  });

  it('and of two files with one message id, handed over at once, one is refused with the other', async () => {
    const [one, other] = [await test.open(), await test.open()];
    for (let n = 0; n < 8; n += 1) {
      const message = { ...MESSAGE, messageId: `MSG-${n}` };
      const claims = await Promise.all(
        [one, other].map((store, index) =>
          store.claimBatch({ ...batchClaim(`b${n}-${index}`, [`doc-${n}-${index}`]), message, messageIsNew: true }),
        ),
      );
      expect(claims.map(({ claimed }) => claimed).toSorted()).toEqual([false, true]);
      expect(claims.find(({ claimed }) => !claimed)).toMatchObject({ changed: 'message-taken' });
    }
  });

  it('has the rows that were refused, in the order of the file', async () => {
    const store = await test.open();
    const refused: RefusedRow[] = [
      {
        row: 2,
        line: 3,
        instruction: { id: 'x' },
        findings: [{ column: 'amount', rule: 'required', message: 'fill it in' }],
      },
      { row: 5, line: 9, instruction: {}, original: ORIGINAL, findings: [] },
    ];
    await store.claimBatch({ ...batchClaim('b1', ['a']), refused });
    await store.claimBatch({ ...batchClaim('b2', ['b']), refused: refused.slice(0, 1) });
    expect(await Array.fromAsync(store.refusedRows('b1'))).toEqual(refused);
    expect(await Array.fromAsync(store.refusedRows('none'))).toEqual([]);
  });
});

onEveryStore('look-alikes', (test) => {
  const alike = (id: string, key: string) => ({ ...claimRow(1, id), lookAlikeKey: key });

  it('are the latest of a key since a time, unless proven unpaid', async () => {
    const store = await test.open();
    await store.claimBatch({ ...batchClaim('b1', [], 1_000), rows: [alike('a', 'k1')] });
    await store.claimBatch({ ...batchClaim('b2', [], 2_000), rows: [alike('b', 'k1')] });
    await store.claimBatch({ ...batchClaim('b3', [], 3_000), rows: [alike('c', 'k2')] });
    const [b, c] = [claimRow(1, 'b').reference, claimRow(1, 'c').reference];
    expect(await store.lookAlikes(['k1', 'k2', 'k3'], 1_000)).toEqual([
      { key: 'k1', reference: b, createdAt: 2_000 },
      { key: 'k2', reference: c, createdAt: 3_000 },
    ]);
    expect(await store.lookAlikes(['k1'], 2_001)).toEqual([]);
    const byId = { ...alike('d', 'k4'), lookAlikeAccount: 'k1' };
    await store.claimBatch({ ...batchClaim('b4', [], 3_500), rows: [byId] });
    expect(await store.lookAlikes(['k1', 'k4'], 3_001).then((all) => all.map(({ key }) => key))).toEqual(['k4', 'k1']);
    await store.changePayout(c, { state: 'rejected', at: 4_000 });
    expect(await store.lookAlikes(['k2'], 0)).toEqual([]);
    expect(await store.lookAlikes([], 0)).toEqual([]);
  });
});

onEveryStore('a claim that is not what was planned', (test) => {
  const alike = (id: string, lookAlikeOf?: string) => ({ ...claimRow(1, id), lookAlikeKey: 'k', lookAlikeOf });

  it('is refused when its message id was taken in between', async () => {
    const store = await test.open();
    await store.claimBatch({ ...batchClaim('b1', ['a']), message: MESSAGE, messageIsNew: true });
    const second = { ...batchClaim('b2', ['b']), message: MESSAGE };
    const refused = { claimed: false, known: [], changed: 'message-taken' };
    expect(await store.claimBatch({ ...second, messageIsNew: true })).toEqual(refused);
    expect(await store.batch('b2')).toBeUndefined();
    expect(await store.claimBatch(second)).toEqual({ claimed: true });
  });

  it('is refused when a payout that looks like a row was taken in between, unless the row names it', async () => {
    const store = await test.open();
    await store.claimBatch({ ...batchClaim('b1', [], 1_000), rows: [alike('a')] });
    const second = { ...batchClaim('b2', [], 2_000), rows: [alike('b')] };
    const refused = { claimed: false, known: [], changed: 'look-alike' };
    expect(await store.claimBatch({ ...second, lookAlikesSince: 500 })).toEqual(refused);
    expect(await store.claimBatch({ ...second, lookAlikesSince: 1_500 })).toEqual({ claimed: true });
    const named = { ...batchClaim('b3', [], 3_000), rows: [alike('c', claimRow(1, 'b').reference)] };
    expect(await store.claimBatch({ ...named, lookAlikesSince: 500 })).toEqual({ claimed: true });
  });
});
