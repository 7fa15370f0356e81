import type { BatchHead, ReportInPages } from './batch-report.ts';
import type { ReportedPayout } from './report-document.ts';

/** The document of `--json` in pieces, in this order; what is summed up from the rows comes after them. */
export function jsonPieces({ batchId, file }: Pick<BatchHead, 'batchId' | 'file'>) {
  let before = '\n';
  const line = (payout: ReportedPayout): string => {
    const text = before + JSON.stringify(payout);
    before = ',\n';
    return text;
  };
  return {
    start: `${JSON.stringify({ schemaVersion: 1, batchId, file }).slice(0, -1)},"payouts":[`,
    lines: (payouts: readonly ReportedPayout[]): string => payouts.map(line).join(''),
    end: ({ schemaVersion: _, batchId: __, file: ___, ...rest }: BatchHead): string =>
      `\n],${JSON.stringify(rest).slice(1)}\n`,
  };
}

/** The same as a stream: it is never completely in memory. */
export async function* jsonReport(
  batch: Pick<BatchHead, 'batchId' | 'file'>,
  report: ReportInPages,
): AsyncGenerator<string> {
  const json = jsonPieces(batch);
  yield json.start;
  let next = await report.next();
  for (; next.done !== true; next = await report.next()) yield json.lines(next.value);
  yield json.end(next.value.head);
}
