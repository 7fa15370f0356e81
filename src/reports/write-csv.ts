import { stringify } from 'csv-stringify/sync';
import type { BatchReport, ReportedIncident, ReportedPayout } from './batch-report.ts';
import { incidentsText, returnedText } from './display.ts';

const COLUMNS = [
  'row',
  'id',
  'uid',
  'reference',
  'workflow_id',
  'state',
  'order_id',
  'amount',
  'currency',
  'fee',
  'fee_currency',
  'reason_code',
  'reason_message',
  'returned',
  'incidents',
  'url',
] as const;

/** A number is no formula, and an escaped one would no longer add up in a spreadsheet. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Lines made into text together: the text of a large batch is never in memory as a whole. */
const LINES_AT_ONCE = 1_000;

/** One line for each row of the file, in its order. Values that a spreadsheet would run as formulas are escaped. */
export function* csvReport(report: BatchReport): Generator<string> {
  const incidents = Map.groupBy(report.incidents, ({ reference }) => reference);
  yield csvText([], [...COLUMNS], true);
  for (let from = 0; from < report.payouts.length; from += LINES_AT_ONCE) {
    const some = report.payouts.slice(from, from + LINES_AT_ONCE);
    yield csvText(
      some.map((payout) => cells(payout, incidents.get(payout.reference) ?? [])),
      [...COLUMNS],
      false,
    );
  }
}

/** Values that a spreadsheet would run as formulas are escaped. */
function csvText(lines: readonly object[], columns: string[], header: boolean): string {
  return stringify([...lines], {
    header,
    columns,
    escape_formulas: true,
    cast: {
      string: (value) => (value.startsWith('-') && NUMBER.test(value) ? { value, escape_formulas: false } : value),
    },
  });
}

function cells(
  payout: ReportedPayout,
  incidents: readonly ReportedIncident[],
): Record<(typeof COLUMNS)[number], string | number | null> {
  return {
    row: payout.row,
    id: payout.id,
    uid: payout.uid,
    reference: payout.reference,
    workflow_id: payout.workflowId,
    state: payout.state,
    order_id: payout.orderId,
    amount: payout.amount,
    currency: payout.currency,
    fee: payout.fee,
    fee_currency: payout.feeCurrency,
    reason_code: payout.reason?.code ?? null,
    reason_message: payout.reason?.message ?? null,
    returned: returnedText(payout),
    incidents: incidentsText(incidents),
    url: payout.url,
  };
}
