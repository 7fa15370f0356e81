import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  log,
  sleep,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptors,
  type WorkflowInternalsInterceptor,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';
import { UNDECODABLE, undecodableIn } from '../domain/failures.ts';

export function interceptors(): WorkflowInterceptors {
  const { outbound, internals } = failsAfterLostTask();
  return { inbound: [DECODED, endsAfterItsAnswers()], outbound: [OUTBOUND, outbound], internals: [internals] };
}

/**
 * Fails a workflow task that the SDK applies on top of one that has timed out while a local activity runs (1.24.0: in the core,
 * `buffer_wft_if_outstanding_work` takes no account of a task without an activation). A replay joins the two: messages of the
 * later task come before what the run did in the earlier one, and the time of both is that of the later, so the commands might
 * never be the recorded ones again. The failure drops the run from the cache, so that it is replayed, and the local activity runs
 * again. A task that the SDK requests because a local activity lasts long is not meant: it starts before the earlier one would
 * have timed out. But as a local activity ends, the time is that of its end: if several, one after another, last longer than a task,
 * the last one runs again for nothing. What the others did is in the history by then.
 */
function failsAfterLostTask() {
  let localActivities = 0;
  /** Start (server's time) of the first of the tasks that a local activity runs across. */
  let since = 0;
  /** At the last activation that was no replay. */
  let historyLength: number | undefined;
  const outbound: WorkflowOutboundCallsInterceptor = {
    async scheduleLocalActivity(input, next) {
      localActivities += 1;
      try {
        return await next(input);
      } finally {
        localActivities -= 1;
      }
    },
  };
  const internals: WorkflowInternalsInterceptor = {
    activate(input, next) {
      const info = workflowInfo();
      // A query counts as a replay.
      if (!info.unsafe.isReplaying) {
        if (localActivities === 0 || historyLength === undefined) since = Date.now();
        else if (info.historyLength !== historyLength && Date.now() - since >= info.taskTimeoutMs) {
          throw new Error('a workflow task timed out while a local activity ran; the workflow is replayed');
        }
        historyLength = info.historyLength;
      }
      next(input);
    },
  };
  return { outbound, internals };
}

/**
 * The server drops a task that ends the run while something else arrives, and with it what the task has answered: a caller
 * would receive that the run is closed, though the request is done. The end therefore comes a task later than any answer. A
 * run that continues as new does so at once, before something arrives that it would not hand over.
 */
function endsAfterItsAnswers(): WorkflowInboundCallsInterceptor {
  /** Length of the history, which grows with each task, at the last answer to an update. */
  let answeredAt: number | undefined;
  return {
    async handleUpdate(input, next) {
      try {
        return await next(input);
      } finally {
        answeredAt = workflowInfo().historyLength;
      }
    },
    async execute(input, next) {
      const result = await next(input);
      while (answeredAt === workflowInfo().historyLength) {
        await CancellationScope.nonCancellable(async () => {
          await sleep(1);
          await condition(allHandlersFinished);
        });
      }
      return result;
    },
  };
}

/**
 * A payload that the codec did not accept reaches no handler: a start fails, a signal is dropped, an update or a query is
 * refused, and an activity's result becomes a failure of the activity, which for a send means an unknown outcome.
 */
const DECODED: WorkflowInboundCallsInterceptor = {
  async execute(input, next) {
    assertDecoded('its input', input.args);
    return await next(input);
  },
  async handleSignal(input, next) {
    const why = undecodableIn(input.args);
    if (why === undefined) return await next(input);
    log.warn('signal dropped', { signal: input.signalName, why });
  },
  validateUpdate(input, next) {
    assertDecoded('the update', input.args);
    next(input);
  },
  async handleQuery(input, next) {
    assertDecoded('the query', input.args);
    return await next(input);
  },
};

const OUTBOUND: WorkflowOutboundCallsInterceptor = {
  scheduleActivity: async (input, next) => decoded(input.activityType, await next(input)),
  scheduleLocalActivity: async (input, next) => decoded(input.activityType, await next(input)),
};

function decoded(activity: string, answer: unknown): unknown {
  assertDecoded(`the answer of ${activity}`, [answer]);
  return answer;
}

function assertDecoded(what: string, values: readonly unknown[]): void {
  const why = undecodableIn(values);
  if (why !== undefined) throw ApplicationFailure.nonRetryable(`${what} ${why}`, UNDECODABLE);
}
