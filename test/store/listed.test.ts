import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { cursorBehind, isCursor, PAYOUT_ORDERS, searchedAmount } from '../../src/store/payout-search.ts';
import type { PayoutCursor, PayoutOrder, PayoutSearch, Store } from '../../src/store/store.ts';
import { batchClaim, claimRow, documentIds, payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

const FILTER: PayoutSearch = {};

/** Reads all pages; `between` is called after each of them. */
async function paged(store: Store, order: PayoutOrder, limit: number, between?: (page: number) => Promise<unknown>) {
  const found: string[] = [];
  let after: PayoutCursor | undefined;
  for (let page = 0; ; page += 1) {
    const rows = await store.searchPayouts(FILTER, { order, after, limit });
    found.push(...rows.map(({ documentId }) => documentId));
    const last = rows.at(-1);
    if (last === undefined) return found;
    after = cursorBehind(last, order);
    await between?.(page);
  }
}

onEveryStore('searchPayouts', (test) => {
  it('pages ten thousand payouts while they change: none twice, none missed', async () => {
    const store = await test.open();
    const ids = documentIds(10_000);
    // All of a batch are claimed at one moment.
    for (let batch = 0; batch < 10; batch += 1) {
      const claim = batchClaim(`b-${batch}`, ids.slice(batch * 1_000, (batch + 1) * 1_000), 1_000 + batch);
      await store.claimBatch({ ...claim, rows: claim.rows.map((row, index) => ({ ...row, row: index + 1 })) });
    }
    const all = await store.searchPayouts({}, { limit: 10_001 });
    const change = async (page: number) => {
      const moved = all.filter((_, index) => index % 97 === page % 97);
      await Promise.all(
        moved.map(({ reference }) =>
          store.changePayout(reference, { state: page % 2 ? 'completed' : 'held', at: 9_000 + page }),
        ),
      );
      await store.claimPayout(payoutClaim(`new-${page}`, { at: 5_000 + page, runId: `run-${page}` }));
    };
    const found = await paged(store, 'newest', 317, change);
    expect(found).toHaveLength(10_000);
    expect(new Set(found)).toEqual(new Set(ids));
  });

  it.each(PAYOUT_ORDERS)('has one order, %s, whatever the size of a page', async (order) => {
    const store = await test.open();
    const rows = ['9.5', '10.00', '10', '100.25', '2'].map((amount, index) => {
      const row = claimRow(index + 1, `d-${index}`);
      return { ...row, instruction: { ...row.instruction, amount } };
    });
    await store.claimBatch({ ...batchClaim('b-1', []), rows });
    await store.claimPayout(payoutClaim('alone'));
    const whole = await paged(store, order, 100);
    expect(whole).toHaveLength(6);
    for (const size of [1, 2, 5]) expect(await paged(store, order, size)).toEqual(whole);
    const amounts = (await store.searchPayouts({}, { order, limit: 9 })).map(({ instruction }) =>
      Number(instruction.amount),
    );
    if (order === 'largest') expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
    if (order === 'smallest') expect(amounts).toEqual(amounts.toSorted((a, b) => a - b));
    if (order === 'newest') expect(whole[0]).toBe('alone');
    if (order === 'oldest') expect(whole.slice(0, 5)).toEqual(['d-0', 'd-1', 'd-2', 'd-3', 'd-4']);
  });

  it('reads a page by its index, without a sort', async () => {
    const store = await test.open();
    if (!test.url().startsWith('file:')) return;
    await store.claimBatch(batchClaim('b-1', ['a']));
    const file = new DatabaseSync(test.url().slice('file:'.length), { readOnly: true });
    const query = `select * from payouts where (created_at <= ? and (created_at < ? or (coalesce("row", 0) >= ?
      and (coalesce("row", 0) > ? or reference > ?)))) order by created_at desc, coalesce("row", 0), reference limit 9`;
    const steps = file.prepare(`explain query plan ${query}`).all(5, 5, 1, 1, 'r');
    file.close();
    expect(steps.map(({ detail }) => detail)).toEqual(['SEARCH payouts USING INDEX payouts_listed (created_at<?)']);
  });

  it('finds by own document, user, batch, currency and kind', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b-1', ['a', 'b']));
    await store.claimBatch(batchClaim('b-2', ['c']));
    const [row] = await store.searchPayouts({ documentId: 'b' }, { limit: 9 });
    const { uid = '', instruction } = row ?? {};
    const found = async (search: PayoutSearch) =>
      (await store.searchPayouts(search, { limit: 9 })).map(({ documentId }) => documentId);
    expect(await found({ documentId: 'b', uid })).toEqual(['b']);
    expect(await found({ documentId: 'b', uid: 'another' })).toEqual([]);
    expect(await found({ batchId: 'b-2' })).toEqual(['c']);
    expect(await found({ currency: instruction?.currency, kinds: ['payout'] })).toHaveLength(3);
    expect(await found({ currency: 'XXX' })).toEqual([]);
    expect(await found({ kinds: ['transfer'] })).toEqual([]);
  });
});

it('knows a place of its own order from anything else', () => {
  expect(isCursor([1_000, 2, 'ref'], 'newest')).toBe(true);
  expect(isCursor(['10.5', 'ref'], 'largest')).toBe(true);
  for (const odd of [[1_000, 2], ['10.5', 'ref'], [1_000, 2, 3], [1_000, 'x', 'ref'], 'text', null, [1.5, 2, 'ref']]) {
    expect(isCursor(odd, 'newest')).toBe(false);
  }
});

onEveryStore('a list of payouts', (test) => {
  it.each(PAYOUT_ORDERS)('is read backwards as it is read forwards: %s', async (order) => {
    const store = await test.open();
    const rows = ['9.5', '10.00', '10', '100.25', '2'].map((amount, index) =>
      claimRow(index + 1, `d-${index}`, { amount }),
    );
    await store.claimBatch({ ...batchClaim('b-1', []), rows });
    await store.claimBatch(batchClaim('b-2', ['e', 'f'], 2_000));
    const all = await store.searchPayouts({}, { order, limit: 9 });
    for (const [place, row] of all.entries()) {
      const read = await store.searchPayouts({}, { order, before: cursorBehind(row, order), limit: 2 });
      expect(read).toEqual(all.slice(Math.max(0, place - 2), place));
    }
  });

  it('is searched by the name of a payee and by an amount', async () => {
    const store = await test.open();
    const named = { beneficiary_id: undefined, first_name: 'Ada', last_name: 'Lovelace', amount: '1234.50' };
    await store.claimBatch({ ...batchClaim('b-1', []), rows: [claimRow(1, 'd-1', named), claimRow(2, 'd-2')] });
    const name = { name: 'Metals & Parts', asShown: 'm', inSmall: 'm' };
    const seen = { uid: 'user-1', payeeId: 'ben-1', digest: 'd', country: 'US', seenAt: 1, items: {} };
    await store.notePayee({ ...seen, name });
    const found = async (text: string): Promise<string[]> =>
      (await store.searchPayouts({ text }, { limit: 9 })).map(({ documentId }) => documentId);
    expect(await found('LOVE')).toEqual(['d-1']);
    expect(await found('metals')).toEqual(['d-2']);
    for (const amount of ['1234.5', '1,234.50', '1.234,50', '1 234,5', '1234.50 USD']) {
      expect(await found(amount), amount).toEqual(['d-1']);
    }
    expect(await found('10.5')).toEqual(['d-2']);
    expect(await found('1.234')).toEqual([]);
  });
});

it.each([
  ['1,234', '1234'],
  ['12,5', '12.5'],
  ['0.0001', '0.0001'],
  ["1'234'567.89 chf", '1234567.89'],
  ['12,34,567', undefined],
  ['INV-1', undefined],
  ['1.234.5678', '1234.5678'],
  ['', undefined],
])('%j means an amount: %s', (text, amount) => {
  expect(searchedAmount(text)).toBe(amount);
});
