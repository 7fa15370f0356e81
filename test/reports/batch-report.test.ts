import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMinor } from '../../src/domain/money.ts';
import { PAYOUT_STATES } from '../../src/domain/payout-state.ts';
import { batchReport } from '../../src/reports/batch-report.ts';
import { BATCH, record, reportOf, sourceOf } from './records.ts';

test('has exactly the fields of the contract', async () => {
  const held = record(2, 'held', { currency: 'JPY', amount: '500' }, 'fee-above-cap');
  const paid = record(1, 'completed', { endedAt: 3 });
  const report = await reportOf([paid, held], {
    returns: [{ orderId: 'ord-9', reference: paid.reference, amount: '4.00', currency: 'EUR', seenAt: 5 }],
    incidents: [{ kind: 'second-order', reference: paid.reference, orderId: 'ord-7', seenAt: 6 }],
  });
  const common = {
    uid: 'u-1001',
    payee: { name: 'Ramirez', account: '***66', beneficiaryId: null },
    accountId: 'acc-1',
    payingAccountId: null,
    exchange: null,
    handedOverAt: '1970-01-01T00:00:00.001Z',
    executeOn: null,
    submittedAt: null,
    maker: 'maria',
    approvals: [],
  };
  const url = (reference: string) => `http://127.0.0.1:8233/namespaces/default/workflows/payout%2F${reference}`;
  const none = { fees: '0', sold: '0', bought: '0', returned: '0' };
  const euros = { currency: 'EUR', payouts: 1, amount: '10.00', completed: '10.00', fees: '1.50' };
  const moved = [
    { ...euros, sold: '0.00', bought: '0.00', returned: '4.00' },
    { currency: 'JPY', payouts: 1, amount: '500', completed: '0', ...none },
  ];
  expect(report).toEqual({
    schemaVersion: 1,
    batchId: 'batch-1',
    file: 'payroll.csv',
    by: 'maria',
    handedOverAt: '2025-06-15T15:06:40.000Z',
    asOf: '2025-06-15T15:06:40.000Z',
    masked: false,
    state: 'open',
    control: 'running',
    controlReason: null,
    counts: { total: 2, completed: 1, failed: 0, rejected: 0, cancelled: 0, returned: 0, needsOperator: 0, open: 1 },
    totals: [
      { currency: 'EUR', amount: '10.00', completed: '10.00' },
      { currency: 'JPY', amount: '500', completed: '0' },
    ],
    states: [
      { state: 'completed', currency: 'EUR', payouts: 1, amount: '10.00' },
      { state: 'held', currency: 'JPY', payouts: 1, amount: '500' },
    ],
    accounts: moved.map((it) => ({ accountId: 'acc-1', ...it })),
    currencies: moved,
    exchanges: [],
    payouts: [
      {
        ...common,
        row: 1,
        id: 'INV-1',
        reference: paid.reference,
        workflowId: `payout/${paid.reference}`,
        state: 'completed',
        settledAt: '1970-01-01T00:00:00.003Z',
        endedAt: '1970-01-01T00:00:00.003Z',
        orderId: 'ord-1',
        amount: '10.00',
        currency: 'EUR',
        fee: '1.50',
        feeCurrency: 'EUR',
        reason: null,
        open: null,
        returns: [{ orderId: 'ord-9', amount: '4.00', currency: 'EUR', why: null }],
        incidents: [{ id: 'inc-ord-7', kind: 'second-order', orderId: 'ord-7', isAcknowledged: false }],
        url: url(paid.reference),
      },
      {
        ...common,
        row: 2,
        id: 'INV-2',
        reference: held.reference,
        workflowId: `payout/${held.reference}`,
        state: 'held',
        settledAt: null,
        endedAt: null,
        orderId: null,
        amount: '500',
        currency: 'JPY',
        fee: null,
        feeCurrency: null,
        reason: { code: 'fee-above-cap', message: 'the quoted fee is above the cap' },
        open: { why: 'the quoted fee is above the cap', who: 'anybody but the maker, maria', until: null },
        returns: [],
        incidents: [],
        url: url(held.reference),
      },
    ],
    incidents: [
      {
        row: 1,
        reference: paid.reference,
        orderId: 'ord-7',
        kind: 'second-order',
        message:
          'the payout is completed, or its exchange booked, and the bank shows another order under the same reference',
        id: 'inc-ord-7',
        acknowledged: null,
      },
    ],
    refused: [],
    reports: {
      csv: '/reports/payroll-2025-06-15-batch-1-report.csv',
      json: '/reports/payroll-2025-06-15-batch-1-report.json',
      html: '/reports/payroll-2025-06-15-batch-1-report.html',
    },
  });
});

test('lists incidents in the order of the file', async () => {
  const [first, second] = [record(1, 'failed'), record(2, 'completed')];
  const report = await reportOf([first, second], {
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
        for (const { state, currency, amount } of report.states) {
          expect(amount).toBe(sum(currency, (each) => each === state));
        }
        expect(report.states.reduce((count, { payouts }) => count + payouts, 0)).toBe(drawn.length);
      }),
    );
  });

  test('have the decimals of the currency, however the rows write them', async () => {
    const report = await reportOf([record(1, 'completed', { amount: '10.5' }), record(2, 'failed', { amount: '7' })]);
    expect(report.totals).toEqual([{ currency: 'EUR', amount: '17.50', completed: '10.50' }]);
  });
});

test('is as of the newest change that it shows, and reads no clock', async () => {
  const paid = record(1, 'completed', { endedAt: BATCH.createdAt + 1_000 });
  const { reference } = paid;
  const seen = (seenAt: number) => [{ orderId: 'ord-9', reference, amount: '4.00', currency: 'EUR', seenAt }];
  expect((await reportOf([paid])).asOf).toBe(new Date(BATCH.createdAt + 1_000).toISOString());
  const later = BATCH.createdAt + 60_000;
  expect((await reportOf([paid], { returns: seen(later) })).asOf).toBe(new Date(later).toISOString());
});

describe('masked', () => {
  test('names no payee and shows no whole number of an account, and still distinguishes accounts', async () => {
    const accounts = ['GB33BUKB20201555555555', 'GB94BARC10201530095555'];
    const rows = accounts.map((accountId, index) => {
      const row = record(index + 1, 'completed');
      return { ...row, instruction: { ...row.instruction, account_id: accountId } };
    });
    const report = await reportOf(rows, { isMasked: true });
    expect(report).toMatchObject({
      masked: true,
      reports: { html: '/reports/payroll-2025-06-15-batch-1-report-masked.html' },
    });
    expect(report.accounts).toHaveLength(2);
    expect(report.payouts[0]).toMatchObject({ payee: { name: 'R***', account: '***66' }, accountId: '***5555' });
    const text = JSON.stringify(report);
    for (const detail of ['Ramirez', '99887766', ...accounts]) expect(text).not.toContain(detail);
  });
});

test('has no more than a page of rows in memory, however many there are', async () => {
  const source = sourceOf([]);
  let read = 0;
  async function* pages() {
    for (; read < 50; ) {
      read += 1;
      yield* sourceOf([record(read, 'completed')]).pages;
    }
  }
  const report = batchReport({ ...source, pages: pages() });
  for (let taken = 1; taken <= 50; taken += 1) {
    const { value } = await report.next();
    expect([read, (value as unknown[]).length]).toEqual([taken, 1]);
  }
  const { value } = await report.next();
  expect(value).toMatchObject({ head: { counts: { total: 50 } }, unpaid: [] });
});
