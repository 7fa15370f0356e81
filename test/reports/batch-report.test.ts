import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMinor } from '../../src/domain/money.ts';
import { PAYOUT_STATES } from '../../src/domain/payout-state.ts';
import { buildBatchReport, totalsByState } from '../../src/reports/batch-report.ts';
import { reportPaths } from '../../src/reports/write-reports.ts';
import { BATCH, LINKS, record, reportOf } from './records.ts';

test('has exactly the fields of the contract', async () => {
  const held = record(2, 'held', { currency: 'JPY', amount: '500' }, 'fee-above-cap');
  const paid = record(1, 'completed');
  const report = await reportOf([paid, held], {
    returns: [{ orderId: 'ord-9', reference: paid.reference, amount: '4.00', currency: 'EUR', seenAt: 5 }],
    incidents: [{ kind: 'second-order', reference: paid.reference, orderId: 'ord-7', seenAt: 6 }],
  });
  expect(report).toEqual({
    schemaVersion: 1,
    batchId: 'batch-1',
    file: 'payroll.csv',
    state: 'open',
    control: 'running',
    controlReason: null,
    counts: { total: 2, completed: 1, failed: 0, rejected: 0, cancelled: 0, needsOperator: 0, open: 1 },
    totals: [
      { currency: 'EUR', amount: '10.00', completed: '10.00' },
      { currency: 'JPY', amount: '500', completed: '0' },
    ],
    payouts: [
      {
        row: 1,
        uid: 'u-1001',
        id: 'INV-1',
        reference: paid.reference,
        workflowId: `payout/${paid.reference}`,
        state: 'completed',
        orderId: 'ord-1',
        amount: '10.00',
        currency: 'EUR',
        fee: '1.50',
        feeCurrency: 'EUR',
        reason: null,
        returns: [{ orderId: 'ord-9', amount: '4.00', currency: 'EUR' }],
        url: `http://127.0.0.1:8233/namespaces/default/workflows/payout%2F${paid.reference}`,
      },
      {
        row: 2,
        uid: 'u-1001',
        id: 'INV-2',
        reference: held.reference,
        workflowId: `payout/${held.reference}`,
        state: 'held',
        orderId: null,
        amount: '500',
        currency: 'JPY',
        fee: null,
        feeCurrency: null,
        reason: { code: 'fee-above-cap', message: 'the fee quoted is above the cap' },
        returns: [],
        url: `http://127.0.0.1:8233/namespaces/default/workflows/payout%2F${held.reference}`,
      },
    ],
    incidents: [
      {
        row: 1,
        reference: paid.reference,
        orderId: 'ord-7',
        kind: 'second-order',
        message: 'the payout is completed, and the bank shows another order under its reference',
        id: 'inc-ord-7',
        acknowledged: null,
      },
    ],
    refused: [],
    reports: { csv: '/reports/batch-1.csv', json: '/reports/batch-1.json', html: '/reports/batch-1.html' },
  });
});

test('reads rows page by page and lists them in the order of the file', async () => {
  async function* pages() {
    yield record(2, 'failed');
    yield record(1, 'completed');
  }
  const report = await buildBatchReport(
    BATCH,
    pages(),
    async () => ({ returns: [], incidents: [], refused: [] }),
    LINKS,
    reportPaths('/reports', BATCH.batchId),
  );
  expect(report.payouts.map(({ row }) => row)).toEqual([1, 2]);
});

test('lists incidents in the order of the file', async () => {
  const [first, second] = [record(1, 'failed'), record(2, 'completed')];
  const report = await reportOf([second, first], {
    incidents: [
      { kind: 'end-contradicted', reference: second.reference, orderId: 'ord-2', seenAt: 1 },
      { kind: 'order-after-end', reference: first.reference, orderId: 'ord-8', seenAt: 3 },
      { kind: 'order-after-end', reference: first.reference, orderId: 'ord-7', seenAt: 4 },
    ],
  });
  expect(report.incidents.map(({ row, orderId }) => [row, orderId])).toEqual([
    [1, 'ord-7'],
    [1, 'ord-8'],
    [2, 'ord-2'],
  ]);
  expect(report.state).toBe('completed-with-exceptions');
});

test('takes its state from the counts and the control flag', async () => {
  expect((await reportOf([record(1, 'completed')])).state).toBe('completed');
  expect((await reportOf([record(1, 'processing')], { batch: { control: 'paused' } })).state).toBe('paused');
  expect((await reportOf([record(1, 'completed'), record(2, 'needs-operator')])).state).toBe('needs-operator');
});

describe('sums', () => {
  const rows = fc.array(
    fc.record({
      state: fc.constantFrom(...PAYOUT_STATES),
      currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
      minor: fc.bigInt({ min: 1n, max: 10n ** 18n }),
    }),
    { maxLength: 40 },
  );

  test('of a currency are exact, asked and completed', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (drawn) => {
        const report = await reportOf(
          drawn.map(({ state, currency, minor }, index) =>
            record(index + 1, state, { currency, amount: formatMinor(minor, currency) }),
          ),
        );
        const sum = (currency: string, wanted: (state: string) => boolean): string =>
          formatMinor(
            drawn
              .filter((row) => row.currency === currency && wanted(row.state))
              .reduce((total, row) => total + row.minor, 0n),
            currency,
          );
        const currencies = [...new Set(drawn.map(({ currency }) => currency))].sort();
        expect(report.totals).toEqual(
          currencies.map((currency) => ({
            currency,
            amount: sum(currency, () => true),
            completed: sum(currency, (state) => state === 'completed'),
          })),
        );
        for (const { state, currency, amount } of totalsByState(report.payouts)) {
          expect(amount).toBe(sum(currency, (each) => each === state));
        }
        expect(totalsByState(report.payouts).reduce((count, { payouts }) => count + payouts, 0)).toBe(drawn.length);
      }),
    );
  });

  test('have the decimals of the currency, however the rows write them', async () => {
    const report = await reportOf([record(1, 'completed', { amount: '10.5' }), record(2, 'failed', { amount: '7' })]);
    expect(report.totals).toEqual([{ currency: 'EUR', amount: '17.50', completed: '10.50' }]);
  });
});
