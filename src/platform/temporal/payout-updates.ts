import { setTimeout as timer } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { MESSAGES } from '../../domain/names.ts';
import type { ResolveAction, ResolveRequest } from '../../domain/payout-state.ts';
import { isAtRest, isEnd, type PayoutState } from '../../domain/payout-state.ts';
import type { ReasonCode } from '../../domain/reasons.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import { described, executionsOver, restartPayout } from './executions.ts';

/**
 * Sends a decision or a cancel to a payout as an update. Returns the payout's outcome (for a cancel `cancelled`, `too-late` or
 * `pending`), or why the update was refused.
 */
export const updatePayout = (
  { client, store }: { client: Client; store: Pick<Store, 'payout'> },
  { workflowId, reference }: Pick<PayoutRecord, 'workflowId' | 'reference'>,
  update: typeof MESSAGES.decide | typeof MESSAGES.cancel,
  payload: object,
): Promise<string | { refused: string }> =>
  client.workflow
    .getHandle(workflowId)
    .executeUpdate<{ outcome: string }, [object]>(update, { args: [payload] })
    .then(({ outcome }) => outcome)
    .catch(async (error: unknown) => {
      const row = isClosed(error) ? await store.payout(reference) : undefined;
      if (row === undefined || !isEnd(row.state)) return refusalOf(error);
      if (update === MESSAGES.decide) return { refused: `the payout has ended as ${row.state}` };
      return row.state === 'cancelled' ? 'cancelled' : 'too-late';
    });

/** Why an update was refused. Rethrows an error that is no refusal. */
export function refusalOf(error: unknown): { refused: string } {
  if (error instanceof WorkflowUpdateFailedError) return { refused: error.cause?.message ?? error.message };
  if (!isClosed(error)) throw error;
  return { refused: 'its workflow was closed: the payout has ended, or is being started again; see its status first' };
}

/** An update of a closed workflow is answered with gRPC status NOT_FOUND. */
const isClosed = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || (error instanceof Error && /already completed/.test(error.message));

/**
 * Sends an operator's request to a payout, which checks it against the bank again. Returns its message, or why it was refused. A
 * closed workflow is started again under its id; it looks before it sends.
 */
export async function resolvePayout(
  { client, store }: { client: Client; store: Store },
  payout: PayoutRecord,
  request: ResolveRequest,
): Promise<string | { refused: string }> {
  const { workflowId } = payout;
  if (!(await executionsOver(client).isOpen(workflowId))) {
    await store.forgetClosedRuns(payout.reference);
    await restartPayout(client, payout);
    if (payout.batchId !== null) await store.reopenBatch(payout.batchId);
    if (payout.reason?.code === WORKFLOW_CLOSED) return startedAgain(request.action);
    // The new run begins with an operator: nothing is sent unless this or a later decision says so.
    await untilParked(client, workflowId);
  }
  return client.workflow
    .getHandle(workflowId)
    .executeUpdate<{ accepted: boolean; message: string }, [ResolveRequest]>(MESSAGES.resolve, { args: [request] })
    .then(({ accepted, message }) => (accepted ? message : { refused: message }))
    .catch(refusalOf);
}

const WORKFLOW_CLOSED: ReasonCode = 'workflow-closed';

/** The new run looks first; what that can decide is not for people yet. */
function startedAgain(action: ResolveAction): string | { refused: string } {
  const what = 'it was started again and searches for its order before anything is sent';
  if (action === 'keep-looking') return what;
  return { refused: `${what}; resolve it when it needs an operator, or cancel it` };
}

async function untilParked(client: Client, workflowId: string): Promise<void> {
  await untilTrue(async () => {
    const view = await client.workflow.getHandle(workflowId).query<{ state: PayoutState }>(MESSAGES.state);
    return isAtRest(view.state);
  });
}

const PULSE_MS = 250;
const PATIENCE_MS = 30_000;

/** Waits until a workflow has no pending activity or workflow task, is closed, or does not exist. */
export async function untilCarriedOut(client: Client, workflowId: string): Promise<void> {
  await untilTrue(async () => {
    const shown = await described(client, workflowId);
    if (shown?.status.name !== 'RUNNING') return true;
    return shown.raw.pendingActivities?.length === 0 && shown.raw.pendingWorkflowTask == null;
  });
}

/** Polls until the condition holds or the patience is over. */
export async function untilTrue(condition: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (!(await condition()) && performance.now() < until) await timer(PULSE_MS);
}
