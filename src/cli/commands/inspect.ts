import { type ReportedIncident, reportedIncidents } from '../../erp/report/batch-report.ts';
import { standingOf } from '../../erp/report/display.ts';
import { listBatches } from '../../runtime/batch-list.ts';
import { reportBatch } from '../../runtime/batch-report.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { workflowUrl } from '../../temporal/ui-link.ts';
import { summaryText } from '../batch-report.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findBatch, findTarget } from '../find-target.ts';
import type { Session } from '../session.ts';
import { table } from '../table.ts';
import { followAndReport } from './run.ts';

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
    const report = await reportBatch(session.config, store, target.batch.batchId, ui);
    session.output.result(report, summaryText(report, ui));
    return EXIT.completed;
  }
  const url = workflowUrl(ui.url, ui.namespace, target.payout.workflowId);
  const { reference } = target.payout;
  const incidents = reportedIncidents(await store.incidentsOf([reference]), [target.payout]);
  session.output.result(payoutDocument(target.payout, incidents, url), payoutText(target.payout, incidents, url));
  return EXIT.completed;
}

/** `payouts report ID`: writes the report files again (byte for byte the same for the same facts) and shows them. */
export async function report(session: Session, id: string): Promise<ExitCode> {
  const store = await session.store();
  const ui = await session.ui();
  const document = await reportBatch(session.config, store, await findBatch(store, id), ui);
  session.output.result(document, summaryText(document, ui));
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

function payoutDocument(payout: PayoutRecord, incidents: readonly ReportedIncident[], url: string): object {
  const {
    reference,
    workflowId,
    uid,
    documentId,
    batchId,
    row,
    state,
    orderId,
    amount,
    currency,
    fee,
    feeCurrency,
    reason,
  } = payout;
  const facts = {
    reference,
    workflowId,
    uid,
    id: documentId,
    batchId,
    row,
    state,
    orderId,
    amount,
    currency,
    fee,
    feeCurrency,
    reason,
  };
  return { schemaVersion: 1, payout: { ...facts, url }, incidents };
}

function payoutText(payout: PayoutRecord, incidents: readonly ReportedIncident[], url: string): string {
  const rows: [string, string | null][] = [
    ['payout', `${payout.currency} ${payout.amount}, document ${payout.documentId}`],
    ['state', payout.state],
    ['why', payout.reason?.message ?? null],
    ['reference', payout.reference],
    ['order', payout.orderId],
    ['fee', payout.fee === null ? null : `${payout.fee} ${payout.feeCurrency ?? ''}`],
    ['batch', payout.batchId],
    ...incidents.map((incident): [string, string] => [
      'incident',
      `${incident.message} (order ${incident.orderId}; ${standingOf(incident)})`,
    ]),
    ['Temporal UI', url],
  ];
  return rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(12)}${value}`)
    .join('\n');
}
