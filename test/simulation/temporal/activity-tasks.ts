import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  CompleteAsyncError,
  ensureApplicationFailure,
  RetryState,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { msOptionalToNumber, msToNumber } from '@temporalio/common/lib/time.js';
import type { Cluster } from './cluster.ts';
import type { ActivityOptions } from './contracts.ts';
import type { Execution } from './execution.ts';
import { copyOf } from './payloads.ts';
import type { WorkerProcess } from './worker-process.ts';

interface Task {
  execution: Execution;
  name: string;
  id: string;
  input: unknown;
  options: ActivityOptions;
  attempt: number;
  /** Epoch ms after which no further attempt begins; infinity without a limit. */
  closesAt: number;
  isClosed: boolean;
  settle(how: 'resolve' | 'reject', value: unknown): void;
}

/** One attempt as the server sees it. */
interface Run {
  isOver: boolean;
  lastBeat: number;
  abort: AbortController;
}

/**
 * Ordinary activities: the server keeps the task, gives it to a worker, and ends an attempt by itself when the worker does
 * not report in time. What a late worker reports is dropped; what it did stays done.
 */
export class ActivityTasks {
  private readonly cluster: Cluster;
  /** Attempts whose code has left the answer to somebody else. */
  private readonly left = new Map<Task, Run>();

  constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  schedule(
    execution: Execution,
    name: string,
    options: ActivityOptions,
    input: unknown,
  ): { result: Promise<unknown>; cancel: () => void } {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    promise.catch(() => {});
    execution.activitiesMade += 1;
    const key = `activity ${execution.activitiesMade}`;
    const id = options.activityId ?? `${execution.activitiesMade}`;
    const task: Task = {
      execution,
      name,
      id,
      input: copyOf(input),
      options,
      attempt: 1,
      closesAt:
        this.cluster.time.now + (msOptionalToNumber(options.scheduleToCloseTimeout) ?? Number.POSITIVE_INFINITY),
      isClosed: false,
      settle: (how, value) => {
        task.isClosed = true;
        this.cluster.happens(execution, { kind: 'settled', key, what: name, how, value });
      },
    };
    let begin = (): void => this.dispatch(task);
    execution.began(key, { what: name, resolve, reject, begin: () => begin() });
    const cancel = (): void => {
      // In a replay the history says when it was received, or the end of the replay does.
      if (execution.isReplaying) begin = () => this.cancel(task);
      else this.cancel(task);
    };
    return { result: promise, cancel };
  }

  /** Whether an activity waits for an answer from elsewhere. */
  isLeft(run: { workflowId: string; runId: string }, id: string): boolean {
    return this.leftBy(run, id) !== undefined;
  }

  /** Gives it that answer; false: none waits for one. */
  complete(run: { workflowId: string; runId: string }, id: string, value: unknown): boolean {
    const found = this.leftBy(run, id);
    if (found === undefined) return false;
    this.left.delete(found[0]);
    this.attemptCompleted(...found, copyOf(value));
    return true;
  }

  private leftBy({ workflowId, runId }: { workflowId: string; runId: string }, id: string): [Task, Run] | undefined {
    return [...this.left].find(
      ([task, attempt]) =>
        task.id === id &&
        task.execution.start.workflowId === workflowId &&
        task.execution.start.runId === runId &&
        !attempt.isOver &&
        !isDropped(task),
    );
  }

  /** TRY_CANCEL, which is what the SDK does unasked: the workflow is notified at once, the code only by its next heartbeat. */
  private cancel(task: Task): void {
    if (!task.isClosed) this.reject(task, new CancelledFailure('Activity cancelled'), RetryState.CANCEL_REQUESTED);
  }

  private dispatch(task: Task): void {
    const { cluster } = this;
    cluster.time.after(cluster.latency(), () => {
      cluster.whenWorker((process) => {
        if (!isDropped(task)) this.begin(task, process);
      });
    });
  }

  private begin(task: Task, process: WorkerProcess): void {
    const { cluster } = this;
    const run: Run = { isOver: false, lastBeat: cluster.time.now, abort: new AbortController() };
    const timeOut = (type: (typeof TimeoutType)[keyof typeof TimeoutType]): void =>
      this.attemptFailed(task, run, new TimeoutFailure(`activity ${type} timeout`, undefined, type));
    const limit = Math.min(
      msOptionalToNumber(task.options.startToCloseTimeout) ?? Number.POSITIVE_INFINITY,
      task.closesAt - cluster.time.now,
    );
    if (Number.isFinite(limit)) cluster.time.after(limit, () => timeOut(TimeoutType.START_TO_CLOSE));
    const beat = msOptionalToNumber(task.options.heartbeatTimeout);
    if (beat !== undefined) this.watchHeart(run, beat, () => timeOut(TimeoutType.HEARTBEAT));
    const heartbeat = (): void => {
      run.lastBeat = cluster.time.now;
      if (isDropped(task)) run.abort.abort(new CancelledFailure('Activity cancelled'));
    };
    const perform = (): void => {
      cluster
        .perform(process, task.execution, { ...task, input: copyOf(task.input), heartbeat, signal: run.abort.signal })
        .then(
          (value) => this.report(process, () => this.attemptCompleted(task, run, copyOf(value))),
          (error: unknown) =>
            this.report(process, () =>
              error instanceof CompleteAsyncError ? this.left.set(task, run) : this.attemptFailed(task, run, error),
            ),
        );
    };
    // One that pauses with the task in hand begins it when it goes on, even if its time is over by then.
    cluster.taken(task.execution, `${task.name} ${task.id}.${task.attempt}`, process);
    process.deliver(perform);
  }

  /** Between the end of the code and the server's knowledge of it the process can still die. */
  private report(process: WorkerProcess, how: () => unknown): void {
    void process.wait(this.cluster.latency()).then(how);
  }

  private watchHeart(run: Run, limit: number, timeOut: () => void): void {
    const { time } = this.cluster;
    const check = (): void => {
      if (run.isOver) return;
      const silent = time.now - run.lastBeat;
      if (silent >= limit) timeOut();
      else time.after(limit - silent, check);
    };
    time.after(limit, check);
  }

  private attemptCompleted(task: Task, run: Run, value: unknown): void {
    if (run.isOver || isDropped(task)) return;
    run.isOver = true;
    task.settle('resolve', value);
  }

  private attemptFailed(task: Task, run: Run, error: unknown): void {
    if (run.isOver || isDropped(task)) return;
    run.isOver = true;
    const failure =
      error instanceof TimeoutFailure || error instanceof CancelledFailure ? error : ensureApplicationFailure(error);
    const pause = pauseOf(task, failure);
    const end = endOf(task, failure, this.cluster.time.now + pause);
    if (end !== undefined) {
      this.reject(task, failure, end);
      return;
    }
    task.attempt += 1;
    this.cluster.time.after(pause, () => {
      if (!isDropped(task)) this.dispatch(task);
    });
  }

  private reject(task: Task, cause: Error, state: RetryState): void {
    task.settle('reject', new ActivityFailure('Activity task failed', task.name, task.id, state, undefined, cause));
  }
}

/** Nobody waits for it any more. */
const isDropped = (task: Task): boolean => task.isClosed || task.execution.isClosed;

/** Why there is no further attempt; undefined: there is one. */
function endOf({ attempt, options, closesAt }: Task, failure: Error, nextAt: number): RetryState | undefined {
  if (failure instanceof CancelledFailure) return RetryState.CANCEL_REQUESTED;
  if (failure instanceof ApplicationFailure && failure.nonRetryable) return RetryState.NON_RETRYABLE_FAILURE;
  if (attempt === options.retry?.maximumAttempts) return RetryState.MAXIMUM_ATTEMPTS_REACHED;
  return nextAt >= closesAt ? RetryState.TIMEOUT : undefined;
}

function pauseOf({ attempt, options: { retry } }: Task, failure: Error): number {
  const asked =
    failure instanceof ApplicationFailure ? msOptionalToNumber(failure.nextRetryDelay ?? undefined) : undefined;
  if (asked !== undefined) return asked;
  const initial = msToNumber(retry?.initialInterval ?? '1s');
  const most = msOptionalToNumber(retry?.maximumInterval) ?? initial * 100;
  return Math.min(most, initial * (retry?.backoffCoefficient ?? 2) ** (attempt - 1));
}
