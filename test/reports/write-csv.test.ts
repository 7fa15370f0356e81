import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { csvReport } from '../../src/reports/write-csv.ts';
import { record, reportOf } from './records.ts';

test('has one line for each row, in the order of the file', async () => {
  const paid = record(1, 'completed');
  const report = await reportOf([paid, record(2, 'failed', {}, 'bank-failed')], {
    returns: [
      { orderId: 'r-2', reference: paid.reference, amount: '3.00', currency: 'EUR', seenAt: 2 },
      { orderId: 'r-1', reference: paid.reference, amount: '4.00', currency: 'EUR', seenAt: 1 },
    ],
    incidents: ['ord-8', 'ord-7'].map((orderId) => ({
      kind: 'second-order',
      reference: paid.reference,
      orderId,
      seenAt: 3,
      ...(orderId === 'ord-8' && { acknowledged: { by: 'alice', reason: 'called back', at: 4 } }),
    })),
  });
  expect(parse([...csvReport(report)].join(''), { columns: true })).toEqual([
    {
      row: '1',
      id: 'INV-1',
      uid: 'u-1001',
      reference: paid.reference,
      workflow_id: paid.workflowId,
      state: 'completed',
      order_id: 'ord-1',
      amount: '10.00',
      currency: 'EUR',
      fee: '1.50',
      fee_currency: 'EUR',
      reason_code: '',
      reason_message: '',
      returned: '4.00 EUR; 3.00 EUR',
      incidents: 'second-order ord-7; second-order ord-8 acknowledged',
      url: report.payouts[0]?.url,
    },
    expect.objectContaining({
      row: '2',
      state: 'failed',
      reason_code: 'bank-failed',
      order_id: '',
      fee: '',
      returned: '',
      incidents: '',
    }),
  ]);
});

test.each([
  ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-1+cmd', "'-1+cmd"],
  ['+1', "'+1"],
  ['-12.50', '-12.50'],
  ['a,"b"', 'a,"b"'],
])('an id %j is written as %j', async (documentId, written) => {
  const [row] = parse<Record<string, string>>(
    [...csvReport(await reportOf([record(1, 'failed', { documentId })]))].join(''),
    { columns: true },
  );
  expect(row?.id).toBe(written);
});
