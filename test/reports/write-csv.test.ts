import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { COLUMNS } from '../../src/reports/report-columns.ts';
import type { BatchReport } from '../../src/reports/report-document.ts';
import { csvHead, csvLines } from '../../src/reports/write-csv.ts';
import { paidThroughAnExchange, record, reportOf } from './records.ts';

const linesOf = ({ payouts }: BatchReport): Record<string, string>[] =>
  parse([csvHead(), csvLines(payouts)].join(''), { columns: true, bom: true });

test('has one line for each row, in the order of the file, with every column', async () => {
  const { rows, facts } = paidThroughAnExchange();
  const [paid = record(1, 'completed')] = rows;
  const report = await reportOf([paid, record(2, 'failed', {}, 'bank-failed')], {
    facts: {
      1: {
        ...facts[1],
        returns: [
          { orderId: 'r-2', reference: paid.reference, amount: '3.00', currency: 'EUR', seenAt: 2 },
          { orderId: 'r-1', reference: paid.reference, amount: '4.00', currency: 'EUR', seenAt: 1 },
        ],
        incidents: ['ord-8', 'ord-7'].map((orderId) => ({
          ...{ id: `inc-${orderId}`, kind: 'second-order', reference: paid.reference, orderId, order: null, seenAt: 3 },
          acknowledged: orderId === 'ord-8' ? { by: 'alice', reason: 'called back', at: 4 } : null,
        })),
      },
    },
  });
  const [first, second] = linesOf(report);
  expect(Object.keys(first ?? {})).toEqual(COLUMNS.map(({ name }) => name));
  expect(first).toEqual({
    row: '1',
    id: 'INV-1',
    uid: 'u-1001',
    payee_name: 'Ramirez',
    payee_account: '***66',
    payee_beneficiary_id: '',
    account_id: 'acc-1',
    paying_account_id: 'acc-eur',
    amount: '1000.00',
    currency: 'EUR',
    fee: '1.50',
    fee_currency: 'EUR',
    exchange_sold_amount: '1085.20',
    exchange_sold_currency: 'USD',
    exchange_bought_amount: '1001.50',
    exchange_bought_currency: 'EUR',
    exchange_rate: '0.9229',
    exchange_quoted_amount: '1085.00',
    exchange_fee: '2.00',
    exchange_fee_currency: 'USD',
    exchange_account_id: 'acc-usd',
    exchange_bought_to: 'acc-eur',
    exchange_order_id: 'fx-1',
    handed_over_at: '2026-05-12T14:30:00.000Z',
    execute_on: '2026-05-12',
    submitted_at: '2026-05-12T14:31:00.000Z',
    settled_at: '2026-05-12T14:31:30.000Z',
    ended_at: '2026-05-12T14:31:30.000Z',
    maker: 'maria',
    approved_by: 'bob; carol (at the bank)',
    approved_at: '2026-05-12T14:31:20.000Z',
    state: 'completed',
    reason_code: '',
    reason_message: '',
    open_why: '',
    open_who: '',
    open_until: '',
    returned: '4.00 EUR; 3.00 EUR',
    incidents: 'second-order ord-7; second-order ord-8 acknowledged',
    order_id: 'ord-1',
    reference: paid.reference,
    workflow_id: paid.workflowId,
    url: report.payouts[0]?.url,
  });
  expect(second).toMatchObject({ row: '2', state: 'failed', reason_code: 'bank-failed', order_id: '', fee: '' });
});

test.each([
  ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-1+cmd', "'-1+cmd"],
  ['+1', "'+1"],
  ['-12.50', '-12.50'],
  ["A;=cmd|'/C calc'!A0;-1; B", "A;'=cmd|'/C calc'!A0;'-1; B"],
  ['a,"b"', 'a,"b"'],
  ['\u001b[31m\nred\u202ex', '\\u001b[31m\\u000ared\\u202ex'],
])('a text %j is written as %j, in any column', async (text, written) => {
  const row = record(1, 'failed', { documentId: text, by: text });
  const instruction = { ...row.instruction, account_name: text };
  const [line] = linesOf(await reportOf([{ ...row, instruction }]));
  expect([line?.id, line?.maker, line?.payee_name]).toEqual([written, written, written]);
});
