import { expect, it } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { bothSidesText } from '../../src/cli/decision-texts.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import { bothSides } from '../../src/reports/comparison.ts';
import type { PayoutRecord, Store } from '../../src/store/store.ts';
import { claimRow } from '../store/samples.ts';
import { openBankAndStore } from '../support/bank-and-store.ts';
import { DEFAULT_PAYMENT } from '../support/product.ts';
import { record } from './records.ts';

const CLAIM = { batchId: 'b-1', file: 'payroll.csv', sha256: 'x', by: 'alice', at: 1_000 };
const settings = { clockSkewMs: 60_000 };

/** A bank that takes a reference twice, with two orders under one, and the row of the payout that sent the first. */
async function paidTwice(): Promise<{ bank: Bank; store: Store; row: PayoutRecord; orders: [string, string] }> {
  const { bank, store } = await openBankAndStore({ profile: { dedupe: 'none' } });
  await store.claimBatch({ ...CLAIM, rows: [claimRow(1, 'inv-1', DEFAULT_PAYMENT)] });
  const reference = referenceOf(DEFAULT_PAYMENT.uid, 'inv-1');
  const pay = async (amount: string): Promise<string> => {
    const body = { ...DEFAULT_PAYMENT, reference, amount };
    return (await bank.transactions.payment(body)).order_id;
  };
  const sentAt = Date.now();
  const first = await pay('12.50');
  await store.recordAttempt({ reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt });
  await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: first });
  const orders: [string, string] = [first, await pay('13.50')];
  await store.changePayout(reference, { state: 'needs-operator', at: Date.now() });
  const row = await store.payout(reference);
  if (row === undefined) throw new Error('nothing was claimed');
  return { bank, store, row, orders };
}

it('shows a second order that only the list of the bank has beside the one that was answered, and where they differ', async () => {
  const { bank, store, row, orders } = await paidTwice();
  const suspected = { ...row, reason: { code: 'duplicate-suspected', message: '' } };
  const [compared, ...more] = await bothSides({ store, bank, settings }, suspected);
  expect(more).toEqual([]);
  const line = (name: string) => compared?.lines.find((it) => it.name === name);
  expect(new Set(line('order')?.values)).toEqual(new Set(orders));
  expect(compared?.orderIds).toEqual(line('order')?.values);
  expect(new Set(line('known as')?.values)).toEqual(new Set(['the answer to an attempt', 'shown by the bank']));
  expect(new Set(line('amount')?.values)).toEqual(new Set(['12.50 USD', '13.50 USD']));
  expect(line('amount')?.differs).toBe(true);
  expect([line('order')?.differs, line('known as')?.differs]).toEqual([false, false]);
  expect(line('account')).toMatchObject({ differs: false, values: ['acc-u1001-usd', 'acc-u1001-usd'] });
  const wide = bothSidesText(await bothSides({ store, bank, settings }, suspected), 120);
  expect(wide).toMatch(/^amount +1[23]\.50 USD +1[23]\.50 USD +differs$/m);
  const narrow = bothSidesText(await bothSides({ store, bank, settings }, suspected), 60);
  for (const id of orders) expect(narrow).toContain(id);
  expect(narrow).toMatch(/^of each {2}amount\norder 1 {2}1[23]\.50 USD\norder 2 {2}1[23]\.50 USD\nsame\? {4}differs$/m);
  expect(Math.max(...narrow.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60);
});

it('shows the order of an incident beside that of the payout, though it has ended', async () => {
  const { bank, store, row, orders } = await paidTwice();
  const [first, second] = orders;
  const { reference } = row;
  await store.recordIncident({ reference, orderId: second, kind: 'second-order', seenAt: 5_000 });
  const ended: PayoutRecord = { ...row, state: 'completed', orderId: first };
  const [compared] = await bothSides({ store, bank, settings }, ended);
  const known = compared?.lines.find(({ name }) => name === 'known as')?.values;
  expect([...(known ?? [])].sort()).toEqual([expect.stringMatching(/^incident /), 'the order of this payout']);
});

it('asks no bank about a row that has no other side there, and leaves it out without one', async () => {
  const { store, row } = await paidTwice();
  const suspected = { ...row, reason: { code: 'duplicate-suspected', message: '' } };
  expect(await bothSides({ store, settings }, suspected)).toEqual([]);
  const bank = new Proxy({} as Bank, {
    get: () => {
      throw new Error('the bank was asked');
    },
  });
  expect(await bothSides({ store, bank, settings }, record(1, 'held', {}, 'account-frozen'))).toEqual([]);
});
