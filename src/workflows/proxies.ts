import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { FolderActivities } from '../activities/folder-sweep.ts';
import type { Activities } from '../activities/index.ts';
import type { CardHandle } from '../domain/card-payment.ts';
import type { VaultActivities } from '../domain/card-sending.ts';
import { FAILURES, PERMANENT_FAILURES } from '../domain/failures.ts';

/** Activity groups, one per timeout class. Nobody writes a time limit at a call site. */

/** Quick, and safe to run again: reads of bank and store, and writes of the store under a claim. Never a POST. */
type Repeatable = Pick<
  Activities,
  | 'prepare'
  | 'renewClaim'
  | 'assess'
  | 'weighDecisions'
  | 'readOrder'
  | 'recordState'
  | 'closePayout'
  | 'prepareCard'
  | 'retrievePayment'
  | 'recordCardState'
  | 'claimPayment'
>;

/** Inside the workflow task: one try, then `patientCalls` take over. */
const quickCalls = proxyLocalActivities<Repeatable>({
  startToCloseTimeout: '7s',
  scheduleToCloseTimeout: '7s',
  retry: { maximumAttempts: 1 },
});

/** What nothing waits for: when it does not work out, it is read again another time. */
export const localReads: Pick<typeof quickCalls, 'readOrder' | 'retrievePayment'> = quickCalls;

/** The same as ordinary activities, retried by the server for as long as it takes: no event per retry. */
const patientCalls = proxyActivities<Repeatable>({
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});

/** After this long without an answer about an order that is out, people are told. */
const LOOK_PATIENCE = '1h';

/** A look at an order that is out: retried as well, but not for ever in silence. */
const orderReads = proxyActivities<Pick<Repeatable, 'readOrder'>>({
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: LOOK_PATIENCE,
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
 * What the answer of an update waits for: never local activities. A worker that dies between two workflow tasks would leave
 * an update whose completion cannot be replayed (SDK 1.24.0).
 */
export const checks = proxyActivities<
  Pick<Activities, 'retrievePayment' | 'claimPayment' | 'weighDecisions' | 'useDecision' | 'auditRefused'>
>({
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '1m',
  retry: { maximumAttempts: 2 },
});

/**
 * What needs a card runs in the gateway that keeps it. A gateway that takes no task for so long is gone, and its cards with
 * it.
 */
export const vaultOf = ({ vault }: CardHandle): VaultActivities =>
  proxyActivities<VaultActivities>({
    taskQueue: vault,
    scheduleToStartTimeout: '10s',
    startToCloseTimeout: '45s',
    heartbeatTimeout: '10s',
    retry: { maximumAttempts: 1 },
  });

/** A look through the order lists, page by page. */
export const listScans = proxyActivities<Pick<Activities, 'findOrder'>>({
  startToCloseTimeout: '15m',
  scheduleToCloseTimeout: LOOK_PATIENCE,
  heartbeatTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Waits without history: the activity says "not yet" and names its own pause. */
export const polls = proxyActivities<Pick<Activities, 'awaitBank' | 'awaitFunds'>>({
  startToCloseTimeout: '1m',
  retry: { initialInterval: '5s', backoffCoefficient: 1 },
});

/** Long heartbeating work of a batch and of an order watch: as long as they have rows. */
export const longRuns = proxyActivities<Pick<Activities, 'pumpBatch' | 'approveRows' | 'sweepOrders'>>({
  startToCloseTimeout: '7d',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** What a pass of the reconciliation goes by: read from the store inside the workflow task. */
export const plans = proxyLocalActivities<Pick<Activities, 'planReconciliation'>>({
  startToCloseTimeout: '30s',
  retry: { maximumInterval: '30s' },
});

/** One key of a reconciliation: left to the next pass when the bank does not answer for this long. */
export const comparisons = proxyActivities<Pick<Activities, 'reconcileOrders'>>({
  startToCloseTimeout: '15m',
  scheduleToCloseTimeout: '30m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Starting what should run and does not. */
export const restarts = proxyActivities<Pick<Activities, 'resumeUnended'>>({
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '10m',
  retry: { maximumInterval: '30s' },
});

/** A pass over a drop folder: a few tries, then the schedule starts another one. */
export const sweeps = proxyActivities<FolderActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: 5 },
});

/** Short writes of a batch's control flag. */
export const batchControl = proxyActivities<Pick<Activities, 'setBatchControl'>>({
  startToCloseTimeout: '1m',
  retry: { maximumInterval: '30s' },
});

/**
 * Runs an activity in the workflow task, and as an ordinary one when that did not work out. A failure that it calls permanent is
 * thrown as it is. `summary` is for the UI.
 */
export async function call<Name extends keyof Repeatable>(
  name: Name,
  input: Parameters<Repeatable[Name]>[0],
  summary: string,
): Promise<Awaited<ReturnType<Repeatable[Name]>>> {
  type Call = {
    executeWithOptions(options: { summary: string }, args: unknown[]): Promise<Awaited<ReturnType<Repeatable[Name]>>>;
  };
  try {
    return await (quickCalls[name] as unknown as Call).executeWithOptions({ summary }, [input]);
  } catch (error) {
    if (isCancellation(error) || isSuperseded(error) || permanentCause(error) !== undefined) throw error;
    const patient = name === 'readOrder' ? orderReads.readOrder : patientCalls[name];
    return (patient as unknown as Call).executeWithOptions({ summary }, [input]);
  }
}

/** The misuse inside an activity failure, to fail the workflow with its own type and words; undefined for others. */
export function permanentCause(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && PERMANENT_FAILURES.has(cause.type ?? '') ? cause : undefined;
}

/** The run does not hold the claim any more, or something was sent that it has not settled: it prepares anew. */
export function isSuperseded(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === FAILURES.superseded;
}
