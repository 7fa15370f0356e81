import {
  ApplicationFailure,
  log,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptors,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { UNDECODABLE, undecodableIn } from '../domain/undecodable.ts';

/**
 * A payload that the codec did not accept reaches no handler: a start fails, a signal is dropped, an update or a query is
 * refused, and an activity's result becomes a failure of the activity, which for a send means an unknown outcome.
 */
export const interceptors = (): WorkflowInterceptors => ({ inbound: [INBOUND], outbound: [OUTBOUND] });

const INBOUND: WorkflowInboundCallsInterceptor = {
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
