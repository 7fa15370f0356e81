import { setTimeout as timer } from 'node:timers/promises';
import {
  ActivityNotFoundError,
  type Client,
  type ScheduleHandle,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  type WorkflowExecutionStatusName,
  type WorkflowHandle,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateStage,
} from '@temporalio/client';
import type { Payload, Priority } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { Executions } from '../../activities/deps.ts';
import type { Policy } from '../../domain/authority.ts';
import type { CardPaymentInput } from '../../domain/card-payment.ts';
import { payoutInput, payoutTitle } from '../../domain/instruction.ts';
import {
  batchWorkflowId,
  cardWorkflowId,
  FOLDER_SCAN,
  FOLDER_SCHEDULE,
  MESSAGES,
  orderEndActivityId,
  orderWatchWorkflowId,
  RECONCILIATION_ID,
  TASK_QUEUE,
  WORKFLOW_TYPES,
  workflowTypeOf,
} from '../../domain/names.ts';
import {
  type BatchControl,
  isEnd,
  isSettled,
  type PayoutState,
  type ResolveAction,
  type ResolveRequest,
} from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import type { ReasonCode } from '../../domain/reasons.ts';
import type { ReconciliationPass } from '../../domain/reconciliation.ts';
import type { FolderScanOptions } from '../../domain/scanned-folder.ts';
import { inMarkdown } from '../../domain/text.ts';
import type { BatchRecord, PayoutRecord, Store } from '../../store/store.ts';
import { lastingAttributes, searchAttributes } from '../../workflows/search-attributes.ts';
import { GRPC, grpcStatusOf } from './connection.ts';

/**
 * Order of queued tasks, where the server supports it (`matching.enableFairness`): lower priority keys first, and within one key
 * users take turns. Activities inherit the priority of their workflow.
 */

/** Few tasks that many others wait for: batches, watches, the reconciliation. */
const FIRST = 1;
/** Somebody waits at a checkout, or the payout is urgent. */
const SOON = 2;
/** The server's default. */
const IN_TURN = 3;

/** The server refuses longer fairness keys, and with them the start. */
const KEY_BYTES_MAX = 64;

const SHARED_WORK: Priority = { priorityKey: FIRST };

const CARD_PAYMENT: Priority = { priorityKey: SOON };

export const watchPriority = (uid: string): Priority => ({ priorityKey: FIRST, ...turnOf(uid) });

export const payoutPriority = (uid: unknown, isUrgent = false): Priority => ({
  priorityKey: isUrgent ? SOON : IN_TURN,
  ...turnOf(uid),
});

/** Users whose ids are too long share one turn. */
function turnOf(uid: unknown): Pick<Priority, 'fairnessKey'> {
  return typeof uid === 'string' && Buffer.byteLength(uid) <= KEY_BYTES_MAX ? { fairnessKey: uid } : {};
}

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/** Limit of a cancel: a payout that no worker serves, or whose workflow tasks fail, accepts no update. */
const CANCEL_MS = 10_000;

/**
 * `Executions` over a Temporal client. `startsHere` requests eager start: the first task of a payout goes to the worker that
 * starts it, if it has room, without queueing. Only over the worker's own connection, and not with Worker Versioning: the
 * starting worker's version may no longer be the current one.
 */
export function executionsOver(client: Client, { startsHere = false } = {}): Executions {
  const signal = async (workflowId: string, name: string, payload: unknown): Promise<boolean> =>
    ifThere(() => client.workflow.getHandle(workflowId).signal(name, payload));
  return {
    startPayout: (asked) => startPayout(client, asked, startsHere),
    startBatch: (batchId, file) => startBatch(client, batchId, file),
    async wakeWatch({ uid, currency }) {
      await client.workflow.signalWithStart(WORKFLOW_TYPES.orderWatch, {
        workflowId: orderWatchWorkflowId(uid, currency),
        taskQueue: TASK_QUEUE,
        args: [{ uid, currency }],
        signal: MESSAGES.ordersOpened,
        signalArgs: [],
        staticSummary: `watches the ${currency} orders of one user`,
        priority: watchPriority(uid),
      });
    },
    orderChanged: (workflowId, notice) => signal(workflowId, MESSAGES.orderChanged, notice),
    async awaitsEnd({ workflowId, runId }, orderId) {
      const shown = await described(client, workflowId);
      if (shown?.runId !== runId) return false;
      const waits = ({ activityId, state }: proto.temporal.api.workflow.v1.IPendingActivityInfo): boolean =>
        activityId === orderEndActivityId(orderId) && state === PENDING_ACTIVITY_STATE_STARTED;
      return shown.raw.pendingActivities?.some(waits) === true;
    },
    endOrder: ({ workflowId, runId }, orderId, paid) =>
      ifThere(() => client.activity.complete({ workflowId, runId, activityId: orderEndActivityId(orderId) }, paid)),
    approve: (workflowId, decision) => signal(workflowId, MESSAGES.approve, decision),
    reject: (workflowId, decision) => signal(workflowId, MESSAGES.reject, decision),
    // ACCEPTED is enough: the payout answers once it knows, and its row shows it. The update id makes repeats harmless.
    cancelPayout: (workflowId, request) =>
      ifThere(() =>
        client.withDeadline(Date.now() + CANCEL_MS, () =>
          client.workflow.getHandle(workflowId).startUpdate(MESSAGES.cancel, {
            args: [request],
            updateId: 'batch-cancelled',
            waitForStage: WorkflowUpdateStage.ACCEPTED,
          }),
        ),
      ),
    readAgain: (workflowId) => ifThere(() => client.workflow.getHandle(workflowId).signal(MESSAGES.orderChanged)),
    async isOpen(workflowId) {
      const shown = await described(client, workflowId);
      return shown !== undefined && isOpen(shown.status);
    },
    startCardPayment: (input) => startCardPayment(client, input),
    cardEvent: (merchantRequestId, event, requestId) => signalCardEvent(client, merchantRequestId, event, requestId),
  };
}

/** `startsHere`: as for `executionsOver`. */
async function startPayout(
  client: Client,
  { workflowId, kind = 'payout', reference, input, ...how }: Parameters<Executions['startPayout']>[0],
  startsHere: boolean,
): ReturnType<Executions['startPayout']> {
  const { summary, isUrgent, delayMs, evenCompleted } = how;
  const start = (workflowIdReusePolicy: WorkflowIdReusePolicy, ranBefore: boolean) =>
    client.workflow.start(workflowTypeOf(kind), {
      workflowId,
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowIdReusePolicy,
      ...(ranBefore && { memo: { ranBefore } }),
      staticSummary: summary,
      startDelay: delayMs,
      requestEagerStart: startsHere && delayMs === undefined,
      priority: payoutPriority(input.uid, isUrgent),
      typedSearchAttributes: searchAttributes({
        ...lastingAttributes(reference, input),
        PayoutState: delayMs === undefined ? 'processing' : 'scheduled',
        PayoutNeedsAttention: false,
      }),
    });
  if (await isStarted(start(WorkflowIdReusePolicy.REJECT_DUPLICATE, false))) return 'started';
  // An earlier run exists: if the store knows nothing of it, the new one searches before it sends.
  const { ALLOW_DUPLICATE, ALLOW_DUPLICATE_FAILED_ONLY } = WorkflowIdReusePolicy;
  const again = start(evenCompleted === true ? ALLOW_DUPLICATE : ALLOW_DUPLICATE_FAILED_ONLY, true);
  return (await isStarted(again)) ? 'started' : 'already-started';
}

/** Calls the service directly: the client's `signal` takes no request id, by which the server recognises a repeated signal. */
async function signalCardEvent(
  client: Client,
  ...[merchantRequestId, event, requestId]: Parameters<Executions['cardEvent']>
): Promise<boolean> {
  const workflowId = cardWorkflowId(merchantRequestId);
  try {
    await client.workflowService.signalWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId },
      signalName: MESSAGES.cardEvent,
      input: { payloads: await encoded(client, workflowId, event) },
      requestId,
    });
    return true;
  } catch (error) {
    // No such execution, or a closed one.
    if (grpcStatusOf(error) === GRPC.NOT_FOUND) return false;
    throw error;
  }
}

export const isOpen = ({ name }: { name: WorkflowExecutionStatusName }): boolean =>
  name === 'RUNNING' || name === 'PAUSED';

async function encoded({ options }: Client, workflowId: string, value: unknown): Promise<Payload[]> {
  const { payloadConverter, payloadCodecs } = options.loadedDataConverter;
  const context = { type: 'workflow', namespace: options.namespace, workflowId } as const;
  let payloads: Payload[] = [payloadConverter.toPayload(value, context)];
  for (const codec of payloadCodecs.toReversed()) payloads = await codec.encode(payloads, context);
  return payloads;
}

/**
 * Starts a card payment unless it runs: the id is the lock. One that was closed without an end is always safe to start again,
 * for it first reads what was sent; one with an end returns that end. It is notified that a run of its id was closed: an older copy
 * of the store may know nothing of it.
 */
export async function startCardPayment(client: Client, input: CardPaymentInput): Promise<void> {
  const start = (workflowIdReusePolicy: WorkflowIdReusePolicy, ranBefore: boolean) =>
    client.workflow.start(WORKFLOW_TYPES.cardPayment, {
      workflowId: cardWorkflowId(input.merchant_request_id),
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy,
      ...(ranBefore && { memo: { ranBefore } }),
      staticSummary: `${input.currency} ${input.amount} by card`,
      priority: CARD_PAYMENT,
      typedSearchAttributes: searchAttributes({
        ...lastingAttributes(input.merchant_request_id, { currency: input.currency }),
        PayoutState: 'processing',
        PayoutNeedsAttention: false,
      }),
    });
  const { REJECT_DUPLICATE, ALLOW_DUPLICATE } = WorkflowIdReusePolicy;
  if (!(await isStarted(start(REJECT_DUPLICATE, false)))) await start(ALLOW_DUPLICATE, true);
}

/** Starts the workflow of a payout again after it was closed without an end (terminated, say), unless it is open again. */
export async function restartPayout(client: Client, payout: PayoutRecord): Promise<void> {
  const { workflowId, kind, reference, instruction } = payout;
  await executionsOver(client).startPayout({
    workflowId,
    kind,
    reference,
    input: payoutInput(payout),
    summary: inMarkdown(`${payoutTitle(instruction)}, started again`),
    isUrgent: instruction.priority === 'high',
    evenCompleted: true,
  });
}

/** False when the id is taken. */
async function isStarted(start: Promise<unknown>): Promise<boolean> {
  try {
    await start;
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** False when no such workflow, or activity of it, is open. */
export const ifThere = async (call: () => Promise<unknown>): Promise<boolean> =>
  (await undefinedIfGone(call().then(() => true))) ?? false;

/** Undefined when there is no such workflow, open or closed. */
export const described = (client: Client, workflowId: string): Promise<WorkflowExecutionDescription | undefined> =>
  undefinedIfGone(client.workflow.getHandle(workflowId).describe());

const undefinedIfGone = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError || error instanceof ActivityNotFoundError) return undefined;
    throw error;
  });

/** Starts the workflow of a claimed batch unless it runs; a batch without an end can always be started again. */
export async function startBatch(client: Client, batchId: string, file: string): Promise<void> {
  await client.workflow.start(WORKFLOW_TYPES.payoutBatch, {
    workflowId: batchWorkflowId(batchId),
    taskQueue: TASK_QUEUE,
    args: [{ batchId }],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: `batch of ${inMarkdown(file)}`,
    priority: SHARED_WORK,
    typedSearchAttributes: searchAttributes({ PayoutBatchId: batchId }),
  });
}

interface BatchControls {
  client: Client;
  store: Store;
  settings: { policy?: Policy };
}

/** Updates that let a batch continue, and the control they set. */
const CONTINUING_UPDATES: ReadonlyMap<string, BatchControl> = new Map([
  [MESSAGES.resume, 'running'],
  [MESSAGES.drain, 'draining'],
]);

/** Whether it lets a batch go on that somebody has stopped; to drain one that runs only holds back. */
export const continuesStopped = (update: string, { control }: BatchRecord): boolean =>
  CONTINUING_UPDATES.has(update) && (update === MESSAGES.resume || control === 'paused');

/**
 * Pauses, drains, resumes or cancels a batch by an update of its workflow, which is started if it does not run. Under a policy,
 * workers accept no update that lets a batch continue, so that control is stored here. Throws a `Problem` if the workflow
 * refuses.
 */
export async function updateBatch(
  { client, store, settings: { policy } }: BatchControls,
  { batchId, file, heldUntil }: BatchRecord,
  update: string,
  by: string,
): Promise<{ control: BatchControl }> {
  // While nothing is started, it is taken back here, with or without a worker.
  const isTakenBack = update === MESSAGES.cancel && heldUntil !== null && Date.now() < heldUntil;
  const goesOnAs = isTakenBack ? 'cancelling' : policy && CONTINUING_UPDATES.get(update);
  const controlled = goesOnAs && (await store.controlBatch({ batchId, control: goesOnAs, by, at: Date.now() }));
  await startBatch(client, batchId, file);
  if (controlled !== undefined) return { control: controlled };
  return client.workflow
    .getHandle(batchWorkflowId(batchId))
    .executeUpdate<{ control: BatchControl }, [{ by: string }]>(update, { args: [{ by }] })
    .catch((error: unknown) => {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      throw new Problem('conflict', 'control-refused', `Not possible now: ${error.cause?.message ?? error.message}.`, {
        hint: 'Its state shows what is possible.',
        cause: error,
      });
    });
}

/** How long a decision or a cancel waits for the batch to start the payout. */
const STARTS_SOON_MS = 5_000;

/**
 * Sends a decision or a cancel to a payout as an update. Returns the payout's outcome (for a cancel `cancelled`, `too-late` or
 * `pending`), or why the update was refused. A payout that its batch has yet to start is waited for, for a few seconds.
 */
export async function updatePayout(
  { client, store }: { client: Client; store: Pick<Store, 'payout'> },
  { workflowId, reference, state }: Pick<PayoutRecord, 'workflowId' | 'reference' | 'state'>,
  update: typeof MESSAGES.decide | typeof MESSAGES.cancel,
  payload: object,
): Promise<string | { refused: string }> {
  if (state === 'received') await untilStarted(client, workflowId);
  return client.workflow
    .getHandle(workflowId)
    .executeUpdate<{ outcome: string }, [object]>(update, { args: [payload] })
    .then(({ outcome }) => outcome)
    .catch(async (error: unknown) => {
      const row = isClosed(error) ? await store.payout(reference) : undefined;
      if (row?.state === 'received' && (await described(client, workflowId)) === undefined) return NOT_STARTED;
      if (row === undefined || !isEnd(row.state)) return refusalOf(error);
      if (update === MESSAGES.decide) return { refused: `the payout has ended as ${row.state}` };
      return row.state === 'cancelled' ? 'cancelled' : 'too-late';
    });
}

const NOT_STARTED = {
  refused:
    'its batch has not started it yet: send it again once its state is no longer "received", or cancel the batch',
};

/** Returns whether the batch of a payout has started it within a few seconds. */
async function untilStarted(client: Client, workflowId: string): Promise<boolean> {
  let isStarted = false;
  await untilTrue(async () => {
    isStarted = (await described(client, workflowId)) !== undefined;
    return isStarted;
  }, STARTS_SOON_MS);
  return isStarted;
}

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
 * closed workflow is started again under its id; it searches before it sends.
 */
export async function resolvePayout(
  { client, store }: { client: Client; store: Store },
  payout: PayoutRecord,
  request: ResolveRequest,
): Promise<string | { refused: string }> {
  const { workflowId } = payout;
  // Started here, it would not wait for what keeps its batch from starting it.
  if (payout.state === 'received' && !(await untilStarted(client, workflowId))) return NOT_STARTED;
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

/** The new run searches first; what that can decide is not for people yet. */
function startedAgain(action: ResolveAction): string | { refused: string } {
  const what = 'it was started again and searches for its order before anything is sent';
  if (action === 'keep-looking') return what;
  return { refused: `${what}; resolve it when it needs an operator, or cancel it` };
}

async function untilParked(client: Client, workflowId: string): Promise<void> {
  await untilTrue(async () => {
    const view = await client.workflow.getHandle(workflowId).query<{ state: PayoutState }>(MESSAGES.state);
    return isSettled(view.state);
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
export async function untilTrue(condition: () => Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const until = performance.now() + patienceMs;
  while (!(await condition()) && performance.now() < until) await timer(PULSE_MS);
}

/** Starts the endless reconciliation, which is also the store's claim on the namespace; a sleeping one makes a pass now. */
export async function startReconciliation(client: Client, storeId: string): Promise<void> {
  await client.workflow.signalWithStart(WORKFLOW_TYPES.reconciliation, {
    workflowId: RECONCILIATION_ID,
    taskQueue: TASK_QUEUE,
    signal: MESSAGES.reconcileNow,
    signalArgs: [],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    memo: { store: storeId },
    staticSummary: "compares the store with the bank's orders",
    priority: SHARED_WORK,
  });
}

/** Starts a single reconciliation pass under its own id; `days` absent: the worker's setting. */
export function startReconciliationPass(
  client: Client,
  passId: string,
  days: number | undefined,
): Promise<WorkflowHandle<() => Promise<ReconciliationPass>>> {
  return client.workflow.start<() => Promise<ReconciliationPass>>(WORKFLOW_TYPES.reconciliation, {
    workflowId: `${RECONCILIATION_ID}/${passId}`,
    taskQueue: TASK_QUEUE,
    args: [{ once: true, days }] as never,
    staticSummary: "compares the store with the bank's orders once",
    priority: SHARED_WORK,
  });
}

export interface FolderSchedule {
  name: string;
  folder: string;
  everyMs: number;
  paused: boolean;
  /** ISO 8601; null if none is due. */
  next: string | null;
  /** Start of the latest scan; null before the first. */
  last: string | null;
}

/** Scans missed for longer are skipped: the next one finds the same files. */
const CATCH_UP = '1m';

/** Throws `ScheduleAlreadyRunning` if the name is taken. A scan that falls due during another one is skipped. */
export async function createFolderSchedule(
  client: Client,
  name: string,
  { everyMs, ...options }: FolderScanOptions & { everyMs: number },
): Promise<void> {
  await client.schedule.create({
    scheduleId: FOLDER_SCHEDULE + name,
    spec: { intervals: [{ every: everyMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCH_UP },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW_TYPES.folderScan,
      workflowId: FOLDER_SCAN + name,
      taskQueue: TASK_QUEUE,
      args: [options],
      staticSummary: `scans the drop folder ${inMarkdown(name)}`,
    },
    memo: { folder: options.dir, everyMs },
  });
}

/** The handle's methods throw `ScheduleNotFoundError` if there is no such schedule. */
export const folderSchedule = (client: Client, name: string): ScheduleHandle =>
  client.schedule.getHandle(FOLDER_SCHEDULE + name);

export async function folderSchedules(client: Client): Promise<FolderSchedule[]> {
  const found: FolderSchedule[] = [];
  for await (const { scheduleId, memo, state, info } of client.schedule.list()) {
    if (!scheduleId.startsWith(FOLDER_SCHEDULE)) continue;
    const { folder = '', everyMs = 0 } = (memo ?? {}) as { folder?: string; everyMs?: number };
    found.push({
      name: scheduleId.slice(FOLDER_SCHEDULE.length),
      folder,
      everyMs,
      paused: state.paused,
      next: state.paused ? null : (info.nextActionTimes[0]?.toISOString() ?? null),
      last: info.recentActions.at(-1)?.takenAt.toISOString() ?? null,
    });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
