import { listBatches } from '../../reports/batch-list.ts';
import { reportedIncidents } from '../../reports/batch-report.ts';
import { workflowUrl } from '../../temporal/ui-link.ts';
import { summaryText } from '../batch-report.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findBatch, findTarget } from '../find-target.ts';
import { lazily } from '../lazily.ts';
import { payoutDocument, payoutText } from '../payout-document.ts';
import type { Session } from '../session.ts';
import { table } from '../table.ts';

const followAndReport = lazily(async () => (await import('./run.ts')).followAndReport);

// Commands that look: `status`, `report` and `list` read the store and boot nothing.

/** `payouts watch ID`: follows a batch until every row has an end or is with an operator. */
export async function watch(
  session: Session,
  id: string,
  options: { timeoutMs: number | undefined },
): Promise<ExitCode> {
  const batchId = await findBatch(await session.store(), id);
  return followAndReport(session, [batchId], options.timeoutMs);
}

/** `payouts status ID`: a batch as its document, a payout as one record. */
export async function status(session: Session, id: string): Promise<ExitCode> {
  const store = await session.store();
  const target = await findTarget(store, id);
  const ui = await session.ui();
  if (target.kind === 'batch') {
    const document = await session.report(target.batch.batchId);
    session.output.result(document, summaryText(document, ui));
    return EXIT.completed;
  }
  const url = workflowUrl(ui, target.payout.workflowId);
  const { reference } = target.payout;
  const incidents = reportedIncidents(await store.incidentsOf([reference]), [target.payout]);
  session.output.result(payoutDocument(target.payout, incidents, url), payoutText(target.payout, incidents, url));
  return EXIT.completed;
}

/** `payouts report ID`: writes the report files again (byte for byte the same for the same facts) and shows them. */
export async function report(session: Session, id: string): Promise<ExitCode> {
  const document = await session.report(await findBatch(await session.store(), id));
  session.output.result(document, summaryText(document, await session.ui()));
  return EXIT.completed;
}

/** `payouts list`: the batches of this store, newest first. */
export async function list(session: Session): Promise<ExitCode> {
  const store = await session.store();
  const { batches } = await listBatches(store);
  const rows = batches.map(({ batchId, file, state, createdAt, counts }) => [
    batchId,
    createdAt.slice(0, 19),
    state,
    `${counts.completed}/${counts.total}`,
    file,
  ]);
  const text =
    batches.length === 0 ? 'No batch yet.' : table(['batch', 'created (UTC)', 'state', 'paid', 'file'], rows);
  session.output.result({ schemaVersion: 1, batches }, text);
  return EXIT.completed;
}
