import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import { payoutWorkflowId } from '../../src/domain/names.ts';
import type { ClaimRow, Store } from '../../src/store/store.ts';
import { batchClaim, claimRow } from './samples.ts';
import { onEveryStore } from './stores.ts';

const EURO = { account_id: 'acc-eur' };

function exchangeFor(fields: Partial<PayoutInstruction> = {}): ClaimRow {
  const row = claimRow(0, 'fx', { ...EURO, to_account_id: 'acc-usd', beneficiary_id: undefined, ...fields });
  const reference = referenceOf(row.instruction.uid, 'fx', 'exchange');
  return { ...row, kind: 'exchange', reference, workflowId: payoutWorkflowId(reference, 'exchange') };
}

/** Three rows, the first paid from dollars, and the exchange for the two others. */
async function claimed(store: Store, canary?: number): Promise<{ exchange: string; rows: ClaimRow[] }> {
  const exchange = exchangeFor();
  const bought = { ...EURO, paying_account_id: 'acc-usd', exchanged_by: exchange.reference };
  const rows = [claimRow(1, 'a'), claimRow(2, 'b', bought), claimRow(3, 'c', bought)];
  const claim = { ...batchClaim('b1', []), rows, exchanges: [exchange], ...(canary !== undefined && { canary }) };
  expect(await store.claimBatch(claim)).toEqual({ claimed: true });
  return { exchange: exchange.reference, rows };
}

const needsOf = async (store: Store): Promise<string[]> =>
  (await store.openNeeds(undefined, 100)).map(({ accountId }) => accountId).sort();

onEveryStore('The exchange for all rows of a batch', (test) => {
  it('is released before the rows, and is none of them in counts, pages and totals', async () => {
    const store = await test.open();
    const { exchange, rows } = await claimed(store);
    expect((await store.releasable('b1', 1)).map(({ reference }) => reference)).toEqual([exchange]);
    expect(await store.stateCounts('b1')).toEqual(new Map([['received', 3]]));
    expect((await store.batch('b1'))?.total).toBe(3);
    const paged = await Array.fromAsync(store.rows('b1'), ({ reference }) => reference);
    expect(paged).toEqual(rows.map(({ reference }) => reference));
    await store.changePayout(exchange, { state: 'processing', at: 2_000 });
    expect(await store.stateCounts('b1')).toEqual(new Map([['received', 3]]));
  });

  it('is one of the first rows that are tried', async () => {
    const store = await test.open();
    const { exchange, rows } = await claimed(store, 1);
    expect((await store.batch('b1'))?.canary).toBe(2);
    const first = await store.canaryRows('b1', 2);
    expect(new Set(first.map(({ reference }) => reference))).toEqual(new Set([exchange, rows[0]?.reference]));
  });

  it('is claimed once: neither it nor its rows can be in a second batch', async () => {
    const store = await test.open();
    const { exchange } = await claimed(store);
    const again = await store.claimBatch({ ...batchClaim('b2', ['z']), exchanges: [exchangeFor()] });
    expect(again).toMatchObject({ claimed: false, known: [{ reference: exchange }] });
    expect(await store.batch('b2')).toBeUndefined();
  });

  it('takes the money of its rows while it is open, and they take what it has bought afterwards', async () => {
    const store = await test.open();
    const { exchange } = await claimed(store);
    expect(await needsOf(store)).toEqual(['acc-1', 'acc-eur']);
    await store.changePayout(exchange, { state: 'completed', at: 2_000 });
    expect(await needsOf(store)).toEqual(['acc-1', 'acc-usd', 'acc-usd']);
  });

  it('is audited by itself, with what it sells', async () => {
    const store = await test.open();
    const { exchange } = await claimed(store);
    expect(await store.auditEntriesOf(exchange)).toMatchObject([{ action: 'payout claimed', actor: 'maker' }]);
  });
});
