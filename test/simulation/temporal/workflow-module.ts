import type { SearchAttributePair } from '@temporalio/common';
import { CancelledFailure } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time.js';
import { CancellationScope, place, whenCancelled } from './cancellation.ts';
import { type ActivityOptions, ContinueAsNew } from './contracts.ts';
import type { UpdateHandler } from './execution.ts';

/** Replaces `@temporalio/workflow` in the simulation: what the workflows of the product use of it, in virtual time. */

export { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/common';
export { CancellationScope } from './cancellation.ts';

/** A CancelledFailure, or one inside the failure of an activity. */
export function isCancellation(error: unknown): boolean {
  return error instanceof CancelledFailure || (error instanceof Error && error.cause instanceof CancelledFailure);
}

export function workflowInfo() {
  const { execution } = place();
  const { workflowId, runId, firstRunId, memo, type, more } = execution.start;
  return {
    workflowId,
    runId,
    firstExecutionRunId: firstRunId,
    memo,
    workflowType: type,
    continuedFromExecutionRunId: more.length > 0 ? 'the run before' : undefined,
    typedSearchAttributes: { get: (key: { name: string }): unknown => execution.attributes.get(key.name) },
    continueAsNewSuggested: execution.activations > execution.cluster.activationsMax,
  };
}

export async function condition(holds: () => boolean, timeout?: number | string): Promise<boolean> {
  if (timeout === undefined) {
    await held(holds);
    return true;
  }
  const scope = new CancellationScope();
  return scope.run(async () => {
    try {
      return await Promise.race([sleep(timeout).then(() => false), held(holds).then(() => true)]);
    } finally {
      scope.cancel();
    }
  });
}

function held(holds: () => boolean): Promise<void> {
  const { execution, scope } = place();
  if (scope.consideredCancelled) return scope.cancelRequested;
  if (holds()) return Promise.resolve();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const forget = execution.waitFor(holds, resolve);
  whenCancelled((failure) => {
    forget();
    reject(failure);
  });
  promise.catch(() => {});
  return promise;
}

export function sleep(duration: number | string, _options?: { summary?: string }): Promise<void> {
  const { execution, scope } = place();
  if (scope.consideredCancelled) return scope.cancelRequested;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { time } = execution.cluster;
  const dueAt = (time.shown ?? time.now) + Math.max(1, msToNumber(duration as number));
  execution.timersMade += 1;
  const key = `timer ${execution.timersMade}`;
  let timer: { cancel(): void } | undefined;
  const settled = { kind: 'settled', key, what: 'timer', how: 'resolve', value: undefined } as const;
  const begin = (): void => {
    timer = time.after(dueAt - time.now, () => execution.cluster.happens(execution, settled));
  };
  execution.began(key, { what: 'timer', resolve: () => resolve(), reject, begin });
  whenCancelled((failure) => {
    timer?.cancel();
    execution.pending.delete(key);
    reject(failure);
  });
  promise.catch(() => {});
  return promise;
}

interface Message {
  kind: 'signal' | 'query' | 'update';
  name: string;
}

export const defineSignal = (name: string): Message => ({ kind: 'signal', name });
export const defineQuery = (name: string): Message => ({ kind: 'query', name });
export const defineUpdate = (name: string): Message => ({ kind: 'update', name });

export function setHandler(
  { kind, name }: Message,
  run: UpdateHandler['run'],
  options: { validator?: UpdateHandler['validate'] } = {},
): void {
  const { execution } = place();
  if (kind === 'signal') execution.signals.set(name, run);
  if (kind === 'query') execution.queries.set(name, run);
  if (kind === 'update') execution.updates.set(name, { run, validate: options.validator });
  execution.handlerSet(name);
}

export const allHandlersFinished = (): boolean => place().execution.handlersRunning === 0;

export function upsertSearchAttributes(pairs: readonly SearchAttributePair[]): void {
  const { attributes } = place().execution;
  for (const { key, value } of pairs) attributes.set(key.name, value);
}

export function setCurrentDetails(_details: string): void {}

export const patched = (_id: string): boolean => true;
export const deprecatePatch = (_id: string): void => {};

const silent = (_message: string, _attributes?: object): void => {};
export const log = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };

export async function continueAsNew(...args: unknown[]): Promise<never> {
  throw new ContinueAsNew(args);
}

type ActivityCall = ((input: unknown) => Promise<unknown>) & {
  executeWithOptions(options: object, args: unknown[]): Promise<unknown>;
};

/** Activities by name; each call begins in the scope that is current then. */
function proxy(call: (name: string, input: unknown) => Promise<unknown>): Record<string, ActivityCall> {
  return new Proxy({} as Record<string, ActivityCall>, {
    get: (_target, name) => {
      if (typeof name !== 'string') return undefined;
      const run = (input: unknown): Promise<unknown> => call(name, input);
      return Object.assign(run, { executeWithOptions: (_options: object, args: unknown[]) => run(args[0]) });
    },
  });
}

export function proxyActivities(options: ActivityOptions): Record<string, ActivityCall> {
  return proxy((name, input) => {
    const { execution, scope } = place();
    if (scope.consideredCancelled) return scope.cancelRequested;
    const { result, cancel } = execution.cluster.activities.schedule(execution, name, options, input);
    whenCancelled(cancel);
    return result;
  });
}

export function proxyLocalActivities(options: ActivityOptions): Record<string, ActivityCall> {
  return proxy((name, input) => {
    const { execution, scope } = place();
    if (scope.consideredCancelled) return scope.cancelRequested;
    return execution.cluster.localActivities.run(execution, name, options, input);
  });
}
