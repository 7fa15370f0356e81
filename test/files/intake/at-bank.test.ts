import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shortId } from '../../../src/domain/display.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import { orderAlike } from '../../../src/domain/payee.ts';
import type { IntakeRefusal } from '../../../src/files/intake/intake-refusal.ts';
import type { TakeOptions } from '../../../src/files/intake/read-input.ts';
import { takeUnpaid } from '../../../src/files/intake/take-file.ts';
import { csvOf } from '../../e2e/payout-files.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';
import { DEFAULT_PAYMENT } from '../../support/product.ts';
import { orThrown, taken } from './taken.ts';

const IDS = ['a', 'b'];
const rulesOf = (error: unknown) => (error as IntakeRefusal).findings.map(({ rule, value }) => [rule, value]);

const takeBoth = (proxy: FaultProxy, options: TakeOptions) => {
  const path = join(proxy.dir, 'two.csv');
  writeFileSync(path, csvOf(IDS.map((id) => ({ id }))));
  return taken(proxy, path, options);
};

/** An order of the document that this store has not sent. */
const sentByAnother = ({ bank }: FaultProxy, id: string, generation = 0, note?: string) =>
  bank.transactions.payment(
    { ...DEFAULT_PAYMENT, reference: referenceOf('u-1001', id, 'payment', generation), note },
    {
      beforeFirstByte: () => {},
    },
  );

it.each([0, 2])(
  'a new store finds rows whose generation %i the bank shows as sent, and takes the others',
  async (generation) => {
    const proxy = await openFaultProxy();
    await sentByAnother(proxy, 'b', generation);
    const refusal: unknown = await takeBoth(proxy, { invalid: 'stop' }).catch((error: unknown) => error);
    expect(rulesOf(refusal)).toEqual([['at-bank', 'b']]);
    expect((refusal as IntakeRefusal).hint).toMatch(
      /^This store is new: it knows of no earlier payout\. .* payouts orders u-1001 USD shows the orders\./,
    );
    expect(await proxy.store.batches(10)).toEqual([]);
    expect(await takeBoth(proxy, { invalid: 'skip' })).toMatchObject({ outcome: 'claimed' });
    const [batch] = await proxy.store.batches(10);
    expect(batch).toMatchObject({ total: 1 });
  },
);

it('a restored store says that its rows may have been paid after the copy was made', async () => {
  const proxy = await openFaultProxy();
  await proxy.store.recordRestore({ at: 2_000, from: 1_000, by: 'carol', detail: {} });
  await sentByAnother(proxy, 'b');
  const refusal: unknown = await takeBoth(proxy, { invalid: 'stop' }).catch((error: unknown) => error);
  expect((refusal as IntakeRefusal).hint).toContain('This store was restored from a copy');
  expect((refusal as IntakeRefusal).hint).not.toContain('Use the home');
});

/** An order under a reference that no row has, as another system or another store makes it. */
const payElsewhere = ({ bank }: FaultProxy, amount: string, accountId = DEFAULT_PAYMENT.account_id) =>
  bank.transactions.payment(
    {
      ...DEFAULT_PAYMENT,
      reference: referenceOf('u-1001', `else-${amount}-${Math.random()}`, 'payment'),
      amount,
      account_id: accountId,
    },
    { beforeFirstByte: () => {} },
  );

const plannedOf = async (
  proxy: FaultProxy,
  rows: readonly { id: string; amount: string }[],
  more: Partial<TakeOptions> = {},
) => {
  const path = join(proxy.dir, `${rows.map(({ id }) => id).join('')}.csv`);
  writeFileSync(path, csvOf(rows));
  const taking = await taken(proxy, path, { invalid: 'stop', dryRun: true, ...more });
  if (taking.outcome !== 'planned') throw new Error(taking.outcome);
  return taking.document.plan;
};

describe('payments that another system or store has made', () => {
  it('are shown by the plan of a new store, which holds the rows that they may have paid', async () => {
    const proxy = await openFaultProxy();
    await payElsewhere(proxy, '123.45');
    await payElsewhere(proxy, '9.99');
    const rows = [
      { id: 'a', amount: '7.00' },
      { id: 'b', amount: '123.45' },
    ];
    const { elsewhere, hash } = await plannedOf(proxy, rows);
    expect(elsewhere).toMatchObject({
      ...{ count: 2, totals: [{ currency: 'USD', count: 2, amount: '133.44' }], alike: 1, isHeld: true },
      listed: [
        { amount: '123.45', row: 2, id: 'b' },
        { amount: '9.99', row: null, id: null },
      ],
    });
    const asked = await plannedOf(proxy, rows, { allowLookAlikes: true });
    expect(asked.elsewhere).toMatchObject({ count: 2, alike: 1, isHeld: false });
    expect(asked.hash).not.toBe(hash);
    const path = join(proxy.dir, 'ab.csv');
    const taking = await taken(proxy, path, { invalid: 'stop' });
    if (taking.outcome !== 'claimed') throw new Error(taking.outcome);
    const marked = await Array.fromAsync(proxy.store.rows(taking.batchId), ({ lookAlikeOf }) =>
      orderAlike(lookAlikeOf),
    );
    expect(marked).toEqual([undefined, elsewhere?.listed[0]?.orderId]);
  });

  it('hold no row by an amount that more rows have than payments, which are named, or that another account has paid', async () => {
    const proxy = await openFaultProxy();
    await payElsewhere(proxy, '500.00');
    await payElsewhere(proxy, '70.00', 'acc-u1001-eur').catch(() => undefined);
    const rows = [
      { id: 'a', amount: '500.00' },
      { id: 'b', amount: '500.00' },
      { id: 'c', amount: '70.00' },
    ];
    expect((await plannedOf(proxy, rows)).elsewhere).toMatchObject({
      ...{ count: 1, alike: 0, isHeld: false },
      maybe: [{ accountId: 'acc-u1001-usd', amount: '500.00', currency: 'USD', payments: 1, rows: 2, ids: ['a', 'b'] }],
    });
  });

  it('are none of those that brought money', async () => {
    const proxy = await openFaultProxy();
    const { account_id: transaction_account } = DEFAULT_PAYMENT;
    const shown = (order_id: string, transaction_amount: string, direct: string) => ({
      ...{ order_id, transaction_account, transaction_amount, direct, type: 'PAYMENT' },
      ...{ status: 'COMPLETED', stage: 'paid' as const },
    });
    const seen = { uid: 'u-1001', currency: 'USD', clientOrderId: null, stem: '', seenAt: Date.now() };
    await proxy.store.recordUnaskedOrders([
      { ...seen, orderId: 'out', shown: shown('out', '123.45', 'OUT') },
      { ...seen, orderId: 'in', shown: shown('in', '7.00', 'IN') },
    ]);
    const rows = [
      { id: 'a', amount: '7.00' },
      { id: 'b', amount: '123.45' },
    ];
    const { elsewhere } = await plannedOf(proxy, rows);
    expect(elsewhere).toMatchObject({
      count: 1,
      totals: [{ amount: '123.45' }],
      listed: [{ orderId: 'out', id: 'b' }],
    });
  });

  it('are shown to the second file as well, though the store was opened before they were made', async () => {
    const proxy = await openFaultProxy();
    const at = Date.now() - 3_600_000;
    await proxy.store.recordResumption({ at, from: 0, why: 'new', detail: {} });
    await payElsewhere(proxy, '123.45');
    await takeBoth(proxy, { invalid: 'stop' });
    expect((await plannedOf(proxy, [{ id: 'c', amount: '123.45' }])).elsewhere).toMatchObject({ alike: 1 });
  });

  it('are no matter of a store that was in use when they were made', async () => {
    const proxy = await openFaultProxy();
    const taking = await takeBoth(proxy, { invalid: 'stop' });
    expect(taking.outcome).toBe('claimed');
    const at = Date.now();
    await proxy.store.recordResumption({ at: at - 3_600_000, from: at - 7_200_000, why: 'gap', detail: {} });
    await payElsewhere(proxy, '123.45');
    expect((await plannedOf(proxy, [{ id: 'c', amount: '123.45' }])).elsewhere).toBeNull();
    await proxy.store.recordResumption({ at: at + 60_000, from: at - 60_000, why: 'gap', detail: {} });
    expect((await plannedOf(proxy, [{ id: 'c', amount: '123.45' }])).elsewhere).toMatchObject({ alike: 1 });
  });
});

it('rows are not paid again while the bank shows an order for their document', async () => {
  const proxy = await openFaultProxy();
  const taking = await takeBoth(proxy, { invalid: 'stop' });
  if (taking.outcome !== 'claimed') throw new Error(taking.outcome);
  await proxy.end(taking.batchId, 'failed');
  await sentByAnother(proxy, 'a');
  const again = (rows: number[] | undefined) =>
    orThrown(takeUnpaid(proxy, { batchId: taking.batchId, rows: rows && new Set(rows) }, { invalid: 'stop' }));
  const refused = await again(undefined).catch((error) => error as IntakeRefusal);
  expect(rulesOf(refused)).toEqual([['retry-not-proven', 'a']]);
  expect(refused).toMatchObject({ hint: `\`payouts retry ${shortId(taking.batchId)} --rows 2\` retries the others.` });
  expect(await proxy.store.incidentsOf([referenceOf('u-1001', 'a')])).toMatchObject([{ kind: 'order-after-end' }]);
  expect(await again([2])).toMatchObject({ outcome: 'claimed' });
});
