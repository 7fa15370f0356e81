import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { CallCancelActivities, PayoutCallActivities } from '../activities/called-payouts.ts';
import type { FolderActivities } from '../activities/folder-scan.ts';
import type { Activities } from '../activities/index.ts';
import type { CardHandle, VaultActivities } from '../domain/card-payment.ts';
import { FAILURES, PERMANENT_FAILURES } from '../domain/failures.ts';
import { NEXUS_CANCEL_QUEUE, orderEndActivityId } from '../domain/names.ts';

/** Activity groups, one per timeout class; no call site sets a time limit. */

/** Quick and safe to run again: reads of bank and store, and writes to the store under a claim. Never a POST. */
type Repeatable = Pick<
  Activities,
  | 'prepare'
  | 'renewClaim'
  | 'assess'
  | 'verifyDecisions'
  | 'readOrder'
  | 'recordState'
  | 'closePayout'
  | 'prepareCard'
  | 'retrievePayment'
  | 'recordCardState'
  | 'claimPayment'
>;

/**
 * Local activities: one try, then `patient` goes on. Shorter than the time after which the SDK requests another workflow task: 80%
 * of 10 s, Temporal's default.
 */
const quickCalls = proxyLocalActivities<Repeatable>({
  startToCloseTimeout: '7s',
  scheduleToCloseTimeout: '7s',
  retry: { maximumAttempts: 1 },
});

/** Reads that nothing depends on: if one fails, it is made again later. */
export const localReads: Pick<typeof quickCalls, 'readOrder' | 'retrievePayment'> = quickCalls;

/** The same as ordinary activities, retried by the server without limit: a retry adds no event. */
const patientCalls = proxyActivities<Repeatable>({
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});

/** After this long without an answer about a sent order, people are notified. */
const READ_PATIENCE = '1h';

const orderReads = proxyActivities<Repeatable>({
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: READ_PATIENCE,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});

/** One POST per attempt: the workflow decides what a failure means, never a retry policy. */
export const sends = proxyActivities<
  Pick<
    Activities,
    | 'submitPayment'
    | 'submitTransfer'
    | 'submitExchange'
    | 'addBeneficiary'
    | 'approveOrder'
    | 'rejectOrder'
    | 'resumePayment'
  >
>({
  startToCloseTimeout: '45s',
  retry: { maximumAttempts: 1 },
});

/**
 * Activities that the answer of an update waits for; never local ones. If a worker died between two workflow tasks, the update
 * would have a completion that cannot be replayed (SDK 1.24.0).
 */
export const checks = proxyActivities<
  Pick<Activities, 'retrievePayment' | 'claimPayment' | 'verifyDecisions' | 'useDecision' | 'auditRefused'>
>({
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '1m',
  retry: { maximumAttempts: 2 },
});

/**
 * Activities that need a card run in the gateway that holds it. A gateway that takes no task within `scheduleToStartTimeout` is
 * gone, and its cards with it.
 */
export const vaultOf = ({ vault }: CardHandle): VaultActivities =>
  proxyActivities<VaultActivities>({
    taskQueue: vault,
    scheduleToStartTimeout: '10s',
    startToCloseTimeout: '45s',
    heartbeatTimeout: '10s',
    retry: { maximumAttempts: 1 },
  });

/** A search through the order lists, page by page. */
export const listScans = proxyActivities<Pick<Activities, 'findOrder'>>({
  startToCloseTimeout: '15m',
  scheduleToCloseTimeout: READ_PATIENCE,
  heartbeatTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Waits that add no events: the activity fails with "not yet" and sets its own pause. */
export const polls = proxyActivities<Pick<Activities, 'awaitBank' | 'awaitFunds'>>({
  startToCloseTimeout: '1m',
  retry: { initialInterval: '5s', backoffCoefficient: 1 },
});

/** The wait for the end of an order: over after `patienceMs`, so that a run without a notification reads its order itself. */
export const endOfOrder = (orderId: string, patienceMs: number) =>
  proxyActivities<Pick<Activities, 'awaitOrderEnd'>>({
    activityId: orderEndActivityId(orderId),
    startToCloseTimeout: patienceMs,
    retry: { maximumAttempts: 1 },
  });

/** Long, heartbeating work of a batch or an order watch: lasts as long as they have rows. */
export const longRuns = proxyActivities<Pick<Activities, 'runBatch' | 'approveRows' | 'pollOrders'>>({
  startToCloseTimeout: '7d',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** The next keys of a reconciliation pass: read from the store by a local activity. */
export const plans = proxyLocalActivities<Pick<Activities, 'planReconciliation'>>({
  startToCloseTimeout: '30s',
  retry: { maximumInterval: '30s' },
});

/** One key of a reconciliation: left to the next pass if the bank does not answer in this time. */
export const comparisons = proxyActivities<Pick<Activities, 'reconcileOrders'>>({
  startToCloseTimeout: '15m',
  scheduleToCloseTimeout: '30m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Starts what should be running but is not. */
export const restarts = proxyActivities<Pick<Activities, 'resumeUnended'>>({
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '10m',
  retry: { maximumInterval: '30s' },
});

/** A pass over a drop folder: a few tries, then the schedule starts the next one. */
export const scans = proxyActivities<FolderActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: 5 },
});

/** Waits as long as a payout takes. */
export const called = proxyActivities<PayoutCallActivities>({
  startToCloseTimeout: '3650d',
  heartbeatTimeout: '1m',
  retry: { maximumInterval: '1m' },
});

/** Repeated until it is answered. */
export const callCancel = proxyActivities<CallCancelActivities>({
  taskQueue: NEXUS_CANCEL_QUEUE,
  startToCloseTimeout: '1m',
  retry: { maximumInterval: '1m' },
});

/** Short writes of a batch's control. */
export const batchControl = proxyActivities<Pick<Activities, 'setBatchControl'>>({
  startToCloseTimeout: '1m',
  retry: { maximumInterval: '30s' },
});

/** What `patient` needs of a proxy of either kind. */
type Calls = {
  [Name in keyof Repeatable]: Call<Parameters<Repeatable[Name]>[0], Awaited<ReturnType<Repeatable[Name]>>>;
};

interface Call<Input, Result> {
  executeWithOptions(options: { summary: string }, args: [Input]): Promise<Result>;
}

/**
 * A call of an activity that runs as a local one, and if that fails as an ordinary one. A cancellation and a lost claim are thrown
 * unchanged. A misuse (wrong id, reused id) fails the workflow with the activity's own message. `summary` is for the UI.
 */
function patient<Input, Result>(activityOf: (activities: Calls) => Call<Input, Result>, retried = patientCalls) {
  return async (input: Input, summary: string): Promise<Result> => {
    try {
      return await activityOf(quickCalls).executeWithOptions({ summary }, [input]);
    } catch (error) {
      if (isCancellation(error) || isSuperseded(error)) throw error;
      throwMisuse(error);
    }
    try {
      return await activityOf(retried).executeWithOptions({ summary }, [input]);
    } catch (error) {
      throwMisuse(error);
      throw error;
    }
  };
}

export const prepare = patient((activities) => activities.prepare);
export const renewClaim = patient((activities) => activities.renewClaim);
export const assess = patient((activities) => activities.assess);
export const verifyDecisions = patient((activities) => activities.verifyDecisions);
/** Retried too, but not unnoticed for ever. */
export const readOrder = patient((activities) => activities.readOrder, orderReads);
export const recordState = patient((activities) => activities.recordState);
export const closePayout = patient((activities) => activities.closePayout);
export const prepareCard = patient((activities) => activities.prepareCard);
export const recordCardState = patient((activities) => activities.recordCardState);
export const claimPayment = patient((activities) => activities.claimPayment);

function throwMisuse(error: unknown): void {
  const { type, message = '' } = causeOf(error) ?? {};
  if (PERMANENT_FAILURES.has(type ?? '')) throw ApplicationFailure.nonRetryable(message, type);
}

/** An activity's answer; undefined if it gave none. A lost claim is thrown: this run may do nothing more. */
export async function answerOrUndefined<Result>(run: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await run();
  } catch (error) {
    if (isSuperseded(error)) throw error;
    return undefined;
  }
}

/** The run no longer holds the claim, or something was sent whose outcome it does not know: it prepares again. */
export const isSuperseded = (error: unknown): boolean => causeOf(error)?.type === FAILURES.superseded;

function causeOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
