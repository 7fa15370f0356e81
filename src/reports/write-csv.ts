import { stringify } from 'csv-stringify/sync';
import type { BatchReport, ReportedIncident, ReportedPayout } from './batch-report.ts';
import { incidentsText, returnedText } from './display.ts';

type Cell = (payout: ReportedPayout, incidents: readonly ReportedIncident[]) => string | number | null;

/** Column -> what stands in it, in their order. */
const COLUMNS: Readonly<Record<string, Cell>> = {
  row: ({ row }) => row,
  id: ({ id }) => id,
  uid: ({ uid }) => uid,
  reference: ({ reference }) => reference,
  workflow_id: ({ workflowId }) => workflowId,
  state: ({ state }) => state,
  order_id: ({ orderId }) => orderId,
  amount: ({ amount }) => amount,
  currency: ({ currency }) => currency,
  fee: ({ fee }) => fee,
  fee_currency: ({ feeCurrency }) => feeCurrency,
  reason_code: ({ reason }) => reason?.code ?? null,
  reason_message: ({ reason }) => reason?.message ?? null,
  returned: returnedText,
  incidents: (_payout, incidents) => incidentsText(incidents),
  url: ({ url }) => url,
};

/** A number is no formula, and an escaped one would no longer add up in a spreadsheet. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Lines made into text together: the text of a large batch is never in memory as a whole. */
const LINES_AT_ONCE = 1_000;

/** One line for each row of the file, in its order. Values that a spreadsheet would run as formulas are escaped. */
export function* csvReport(report: BatchReport): Generator<string> {
  const incidents = Map.groupBy(report.incidents, ({ reference }) => reference);
  const cells = Object.values(COLUMNS);
  yield csvText([Object.keys(COLUMNS)]);
  for (let from = 0; from < report.payouts.length; from += LINES_AT_ONCE) {
    const some = report.payouts.slice(from, from + LINES_AT_ONCE);
    yield csvText(some.map((payout) => cells.map((cell) => cell(payout, incidents.get(payout.reference) ?? []))));
  }
}

/** Lines of CSV. Values that a spreadsheet would run as formulas are escaped. */
export function csvText(lines: (string | number | null)[][]): string {
  return stringify(lines, {
    escape_formulas: true,
    cast: {
      string: (value) => (value.startsWith('-') && NUMBER.test(value) ? { value, escape_formulas: false } : value),
    },
  });
}
