import { isBankError } from '../../api/errors.ts';
import { needsBank } from '../../compose/both-sides.ts';
import { workflowUrl } from '../../compose/links.ts';
import { factsOf, stepContext } from '../../compose/report-source.ts';
import { reportedIncidents } from '../../reports/batch-report.ts';
import { nextStep } from '../../reports/next-step.ts';
import { reportedPayout } from '../../reports/reported-payout.ts';
import { widthOf } from '../../reports/wrap.ts';
import { checksShown } from '../../services/payee-checks.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { bothSidesText } from '../both-sides.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findBatch, findTarget } from '../find-target.ts';
import { payoutDocument, payoutText } from '../payout-document.ts';
import { printReport, summaryText } from '../print-report.ts';
import type { Session } from '../session.ts';

// Commands that only read: `status` and `report` use the store and boot nothing.

export async function watch(
  session: Session,
  id: string,
  { timeout }: { timeout: number | undefined },
): Promise<ExitCode> {
  const batchId = await findBatch(await session.store(), id);
  const { followAndReport } = await import('./run.ts');
  return followAndReport(session, [batchId], timeout);
}

/** `payouts status ID`: a batch as its document, a payout as one record; what waits, and for whom. */
export async function status(session: Session, id: string): Promise<void> {
  const target = await findTarget(await session.store(), id);
  if (target.kind === 'batch') {
    const { batchId } = target.batch;
    await session.output.stream(session.document(batchId), async () =>
      summaryText(session, await session.summary(batchId), false),
    );
  } else await showPayout(session, target.payout);
}

export async function showPayout(session: Session, payout: PayoutRecord): Promise<void> {
  const store = await session.store();
  const { reference, workflowId } = payout;
  const incidents = reportedIncidents(await store.incidentsOf([reference]), [payout]);
  const step = nextStep(payout, await stepContext(session.config, store, [payout]));
  const live = await session.liveUi();
  const checks = await checksShown(store, payout);
  const ui = await session.ui();
  const links = { workflowUrl: (id: string) => workflowUrl(ui, id) };
  const [reported] = (await factsOf(store, [payout])).map(([row, facts]) => reportedPayout(row, facts, links));
  if (reported === undefined) throw new Error('a row has facts');
  const shown = { reported, step, checks };
  const width = widthOf(process.stdout);
  const document = payoutDocument(payout, incidents, shown);
  const sides = await sidesText(session, payout, { hasIncidents: incidents.length > 0, width });
  const url = live && workflowUrl(live, workflowId);
  const text = payoutText(payout, incidents, { ...shown, url, now: Date.now(), width });
  session.output.result(document, sides === '' ? text : `${text}\n\n${sides}`);
}

/**
 * The comparisons of a row; the bank's side only if the bank answers. `status` boots nothing and never fails because of the bank.
 */
async function sidesText(
  session: Session,
  payout: PayoutRecord,
  { hasIncidents, width }: { hasIncidents: boolean; width: number },
): Promise<string> {
  const store = await session.store();
  const { clockSkewMs } = session.config.settings;
  try {
    const bank = hasIncidents || needsBank(payout) ? await session.liveBank() : undefined;
    return await bothSidesText({ store, bank, clockSkewMs }, [payout], width);
  } catch (error) {
    if (!isBankError(error)) throw error;
    return 'The bank does not answer now, so its side of the comparison is missing.';
  }
}

/** `payouts report ID`: writes the report files again (the same facts give the same bytes) and shows them. */
export async function report(session: Session, id: string, options: { mask: boolean }): Promise<ExitCode> {
  const batchId = await findBatch(await session.store(), id);
  await printReport(session, await session.report(batchId, options.mask));
  return EXIT.completed;
}
