import {
  ActivityNotFoundError,
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  type WorkflowExecutionStatusName,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  WorkflowUpdateStage,
} from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { Executions } from '../../activities/executions.ts';
import type { CardPaymentInput } from '../../domain/card-payment.ts';
import { payoutInput, payoutTitle } from '../../domain/instruction.ts';
import {
  cardWorkflowId,
  MESSAGES,
  orderEndActivityId,
  orderWatchWorkflowId,
  TASK_QUEUE,
  WORKFLOW_TYPES,
  workflowTypeOf,
} from '../../domain/names.ts';
import { inMarkdown } from '../../domain/text.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { lastingAttributes, searchAttributes } from '../../workflows/search-attributes.ts';
import { startBatch } from './batch-executions.ts';
import { GRPC, grpcStatusOf } from './grpc-status.ts';
import { CARD_PAYMENT, payoutPriority, watchPriority } from './priorities.ts';

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
    async startPayout({ workflowId, kind = 'payout', reference, input, ...how }) {
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
      // An earlier run exists: if the store knows nothing of it, the new one looks before it sends.
      const { ALLOW_DUPLICATE, ALLOW_DUPLICATE_FAILED_ONLY } = WorkflowIdReusePolicy;
      const again = start(evenCompleted === true ? ALLOW_DUPLICATE : ALLOW_DUPLICATE_FAILED_ONLY, true);
      return (await isStarted(again)) ? 'started' : 'already-started';
    },
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
    lookAgain: (workflowId) => ifThere(() => client.workflow.getHandle(workflowId).signal(MESSAGES.orderChanged)),
    async isOpen(workflowId) {
      const shown = await described(client, workflowId);
      return shown !== undefined && isOpen(shown.status);
    },
    startCardPayment: (input) => startCardPayment(client, input),
    // Calls the service directly: the client's `signal` takes no request id, by which the server recognises a repeated signal.
    async cardEvent(merchantRequestId, event, requestId) {
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
    },
  };
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
 * for it looks first at what was sent; one with an end returns that end. It hears that a run of its id was closed: an older copy
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
