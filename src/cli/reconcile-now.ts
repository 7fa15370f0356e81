import { v7 } from 'uuid';
import { CHECK_TEMPORAL, Problem } from '../domain/problem.ts';
import { countsOf, incidentText, type ReconciliationPass } from '../domain/reconciliation.ts';
import { startReconciliationPass, untilCarriedOut } from '../platform/temporal/workflow-executions.ts';
import type { QuietScope, Store } from '../store/store.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { interruptSignal } from './interrupt.ts';
import { table } from './output.ts';
import type { Session } from './session.ts';

/**
 * `payouts reconcile [--days N]`: one comparison of the stored payouts with the bank's orders. Exit 0 if nothing contradicts a
 * stored end, 5 if something does, 7 if the bank did not show all orders.
 */
export async function reconcile(session: Session, { days }: { days?: number }): Promise<ExitCode> {
  const interrupted = interruptSignal();
  const store = await session.store();
  // Asked for by an operator: workflows that were closed too often to be restarted get another try, and search first.
  await store.forgetClosedRuns();
  const unanswered = await unansweredEvents(store);
  const stack = await session.stack();
  const client = await session.client();
  const handle = await startReconciliationPass(client, v7(), days);
  session.output.say(`Reading the bank's orders: ${handle.workflowId}`);
  const gone = stack.failure.then((cause) => {
    throw new Problem('unreachable', 'temporal-unreachable', 'Temporal no longer answers.', {
      hint: CHECK_TEMPORAL,
      cause,
    });
  });
  const left = new Promise<undefined>((resolve) => interrupted.addEventListener('abort', () => resolve(undefined)));
  const pass = await Promise.race([handle.result(), gone, left]);
  if (pass === undefined) {
    session.leaveAtOnce = true;
    return EXIT.interrupted;
  }
  // The pass restarts closed workflows: a stack booted by this command stays up until they have done what they can.
  if (stack.owner) await Promise.all(unanswered.map((workflowId) => untilCarriedOut(client, workflowId)));
  session.output.result(documentOf(pass), textOf(pass));
  if (pass.findings.incidents > 0) return EXIT.exceptions;
  return pass.unreadKeys > 0 ? EXIT.unreachable : EXIT.completed;
}

const UNANSWERED_MAX = 100;

/** Workflow ids of payouts that may have been closed without an end. */
async function unansweredEvents(store: Store): Promise<string[]> {
  const batches = (await store.unendedBatches()).map(({ batchId }): QuietScope => ({ batchId }));
  const now = Date.now();
  const workflowIds: string[] = [];
  for (const scope of [{ batchId: null }, 'ended-batches', ...batches] satisfies QuietScope[]) {
    const limit = UNANSWERED_MAX - workflowIds.length;
    const rows = await store.quietPayouts(scope, { changedBefore: now, now }, { after: null, limit });
    workflowIds.push(...rows.map(({ workflowId }) => workflowId));
  }
  return workflowIds;
}

function documentOf({ keys, unreadKeys, findings }: ReconciliationPass): object {
  const { shown, incidents: incidentCount, ...counts } = findings;
  const incidents = shown.map(({ kind, reference, orderId, differs }) => ({
    reference,
    orderId,
    kind,
    message: incidentText({ kind, differs }),
    differs: differs ?? null,
  }));
  return { keys, unreadKeys, ...counts, incidentCount, incidents };
}

function textOf(pass: ReconciliationPass): string {
  const counts = countsOf(pass).map(([name, count]) => [name, `${count}`]);
  const incidents = pass.findings.shown.map(
    ({ kind, reference, orderId, differs }) =>
      `${kind}: ${incidentText({ kind, differs })} (payout ${reference}, order ${orderId})`,
  );
  return [table(['found', 'number'], counts), ...incidents].join('\n');
}
