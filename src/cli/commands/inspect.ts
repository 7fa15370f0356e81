import { SUMMARY } from '../../channels/http/operations/batches.ts';
import { PAYOUT } from '../../channels/http/operations/payouts.ts';
import { widthOf } from '../../domain/wrap.ts';
import { bothSidesText } from '../both-sides.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findBatch, findTarget } from '../find-target.ts';
import { payoutDocument, payoutText } from '../payout-document.ts';
import { printReport, summaryText, writtenReport } from '../print-report.ts';
import type { Session } from '../session.ts';

// Commands that only read: `status` and `report` use the store and boot nothing.

export async function watch(
  session: Session,
  id: string,
  { timeout }: { timeout: number | undefined },
): Promise<ExitCode> {
  const batchId = await findBatch(session, id);
  const { followAndReport } = await import('./run.ts');
  return followAndReport(session, [batchId], timeout);
}

/** `payouts status ID`: a batch as its document, a payout as one record; what waits, and for whom. */
export async function status(session: Session, id: string): Promise<void> {
  const target = await findTarget(session, id);
  if (target.kind === 'payout') return showPayout(session, target.payout.reference);
  const { batchId } = target.batch;
  await session.output.stream(session.document(batchId), async () => {
    const { summary, liveUrl } = await session.ask(SUMMARY, { id: batchId });
    return summaryText(summary, liveUrl, false);
  });
}

export async function showPayout(session: Session, reference: string): Promise<void> {
  const view = await session.ask(PAYOUT, { reference });
  const width = widthOf(process.stdout);
  const text = payoutText(view, { now: Date.now(), width });
  const sides =
    view.sides === null
      ? 'The bank does not answer now, so its side of the comparison is missing.'
      : bothSidesText(view.sides, width);
  session.output.result(payoutDocument(view), sides === '' ? text : `${text}\n\n${sides}`);
}

/** `payouts report ID`: writes the report files again (the same facts give the same bytes) and shows them. */
export async function report(session: Session, id: string, options: { mask: boolean }): Promise<ExitCode> {
  const batchId = await findBatch(session, id);
  await printReport(session, await writtenReport(session, batchId, options.mask));
  return EXIT.completed;
}
