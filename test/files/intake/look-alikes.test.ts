import { expect, it } from 'vitest';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import { markAlikes, markLookAlikes } from '../../../src/files/intake/compare.ts';
import type { Store } from '../../../src/store/store.ts';
import { newStore } from '../../support/empty-store.ts';
import { claimRowsOf } from './rows.ts';
import { checkedOf } from './staged.ts';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;

async function storeWith(at: number): Promise<Store> {
  const store = await newStore();
  const rows = claimRowsOf({ id: 'earlier' });
  await store.claimBatch({ batchId: 'batch-1', file: 'first.csv', sha256: 'sha', by: null, rows, at });
  return store;
}

const earlier = claimRowsOf({ id: 'earlier' })[0]?.reference;

it('holds the row that pays the same payee the same amount within the days, and no other', async () => {
  const store = await storeWith(NOW - 2 * DAY_MS);
  const { staged } = checkedOf(
    'new.csv',
    claimRowsOf(
      { id: 'twin', amount: '12.5' },
      { id: 'more', amount: '12.51' },
      { id: 'else', beneficiary_id: 'ben-2' },
    ),
  );
  const found = await markLookAlikes(store, staged, { days: 3, now: NOW });
  expect(found).toEqual({ count: 1, rows: [{ row: 1, id: 'twin', like: earlier, days: 2 }] });
  expect([...staged.claims()].flatMap(({ row, lookAlikeOf }) => (lookAlikeOf === earlier ? [row] : []))).toEqual([1]);
});

it('takes the same account number at another bank or branch for another payee', async () => {
  const store = await newStore();
  const payee = { beneficiary_id: undefined, account_no: '123456789', bank_code: '003', branch_code: '001' };
  const rows = claimRowsOf({ id: 'earlier', ...payee });
  await store.claimBatch({ batchId: 'batch-1', file: 'first.csv', sha256: 'sha', by: null, rows, at: NOW - DAY_MS });
  const { staged } = checkedOf(
    'new.csv',
    claimRowsOf(
      { id: 'twin', ...payee },
      { id: 'bank', ...payee, bank_code: '024' },
      { id: 'branch', ...payee, branch_code: '777' },
    ),
  );
  expect((await markLookAlikes(store, staged, { days: 3, now: NOW })).rows.map(({ id }) => id)).toEqual(['twin']);
});

it('knows a payee of whom one row names the account and the other one the id, in either order', async () => {
  const account = { beneficiary_id: undefined, account_no: '123456789', aba_routing_code: '021000021' };
  const atBank = { account_no: '1234 56789', aba_routing_code: '021000021', last_name: 'Sample' };
  const found = async (earlier: Partial<PayoutInstruction>, later: Partial<PayoutInstruction>) => {
    const store = await newStore();
    const taken = checkedOf('first.csv', claimRowsOf({ id: 'earlier', ...earlier })).staged;
    const { staged } = checkedOf('new.csv', claimRowsOf({ id: 'twin', ...later }));
    for (const file of [taken, staged]) file.payees = new Map([['ben-1', atBank]]);
    const rows = [...taken.claims()];
    await store.claimBatch({ batchId: 'b-1', file: 'first.csv', sha256: 'sha', by: null, rows, at: NOW - DAY_MS });
    return (await markLookAlikes(store, staged, { days: 3, now: NOW })).count;
  };
  const byId = { beneficiary_id: 'ben-1' };
  expect(await found(account, byId)).toBe(1);
  expect(await found(byId, account)).toBe(1);
  expect(await found(byId, byId)).toBe(1);
  expect(await found({ ...account, account_no: '123456780' }, byId)).toBe(0);
});

it('reads no further back than the days, and not at all for 0', async () => {
  const store = await storeWith(NOW - 4 * DAY_MS);
  const { staged } = checkedOf('new.csv', claimRowsOf({ id: 'twin' }));
  expect((await markLookAlikes(store, staged, { days: 3, now: NOW })).count).toBe(0);
  expect((await markLookAlikes(store, staged, { days: 0, now: NOW })).count).toBe(0);
  expect((await markLookAlikes(store, staged, { days: 5, now: NOW })).count).toBe(1);
});

it('is no twin of a payout that took no money', async () => {
  const store = await storeWith(NOW - DAY_MS);
  await store.changePayout(earlier ?? '', { state: 'failed', at: NOW });
  const { staged } = checkedOf('new.csv', claimRowsOf({ id: 'twin' }));
  expect((await markLookAlikes(store, staged, { days: 3, now: NOW })).count).toBe(0);
});

it('takes two rows of one file with the same payee and amount for two payouts', async () => {
  const store = await storeWith(NOW - 40 * DAY_MS);
  const { staged } = checkedOf('new.csv', claimRowsOf({ id: 'one' }, { id: 'two' }));
  expect((await markLookAlikes(store, staged, { days: 3, now: NOW })).count).toBe(0);
});

it('names rows of one file that are alike, and holds all but the first if the policy says so', async () => {
  const account = { beneficiary_id: undefined, account_no: '123456789' };
  const rows = claimRowsOf(
    { id: 'INV-1' },
    { id: 'INV-2', amount: '12.50' },
    { id: 'INV-3', amount: '12.5' },
    { id: 'INV-4', ...account },
    { id: 'INV-5', amount: '9' },
    { id: 'INV-6', ...account, account_no: '1234-56789' },
  );
  const { staged } = checkedOf('new.csv', rows);
  const held = () => [...staged.claims()].flatMap(({ row, lookAlikeOf }) => (lookAlikeOf === undefined ? [] : [row]));
  const shown = await markAlikes(staged, false);
  expect(shown.groups.map((group) => group.rows.map(({ id }) => id))).toEqual([
    ['INV-1', 'INV-2', 'INV-3'],
    ['INV-4', 'INV-6'],
  ]);
  expect([shown.count, shown.held, held()]).toEqual([5, 0, []]);
  expect((await markAlikes(staged, true)).held).toBe(3);
  expect(held().sort()).toEqual([2, 3, 6]);
});
