import type { BatchHead, ReportInPages } from './batch-report.ts';
import type { ReportedPayout } from './report-document.ts';

/** The part before the rows; what is summed up from them comes after them. */
export const jsonStart = ({
  schemaVersion,
  batchId,
  file,
}: Pick<BatchHead, 'schemaVersion' | 'batchId' | 'file'>): string =>
  `${JSON.stringify({ schemaVersion, batchId, file }).slice(0, -1)},"payouts":[`;

/** One line for each row; `isFirst`: no row precedes them. */
export const jsonLines = (payouts: readonly ReportedPayout[], isFirst: boolean): string =>
  payouts.map((payout, index) => `${isFirst && index === 0 ? '\n' : ',\n'}${JSON.stringify(payout)}`).join('');

export function jsonEnd({ schemaVersion: _, batchId: __, file: ___, ...rest }: BatchHead): string {
  return `\n],${JSON.stringify(rest).slice(1)}\n`;
}

/** The document of `--json`, in pieces: it is never completely in memory. */
export async function* jsonReport(
  batch: Pick<BatchHead, 'batchId' | 'file'>,
  report: ReportInPages,
): AsyncGenerator<string> {
  yield jsonStart({ schemaVersion: 1, ...batch });
  for (let isFirst = true; ; ) {
    const next = await report.next();
    if (next.done === true) {
      yield jsonEnd(next.value.head);
      return;
    }
    yield jsonLines(next.value, isFirst);
    isFirst &&= next.value.length === 0;
  }
}
