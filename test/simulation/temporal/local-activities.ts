import { ActivityFailure, ensureApplicationFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time.js';
import type { Cluster } from './cluster.ts';
import type { ActivityOptions } from './contracts.ts';
import type { Execution } from './execution.ts';
import { copyOf } from './payloads.ts';

/** After this long without an answer of its worker the server gives a workflow task to another one. */
const WORKFLOW_TASK_TIMEOUT_MS = 10_000;

/** Between two tries of one that has more than one. */
const TRY_AGAIN_MS = 1_000;

/**
 * Activities inside a workflow task. When the process of the task dies or pauses, the task and with it the
 * activity is run again on another one, and what the first one did stays done.
 */
export class LocalActivities {
  private readonly cluster: Cluster;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  run(execution: Execution, name: string, options: ActivityOptions, input: unknown): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    promise.catch(() => {});
    execution.activitiesMade += 1;
    const id = `${execution.activitiesMade}`;
    const key = `activity ${id}`;
    const settle = (how: 'resolve' | 'reject', value: unknown): void =>
      this.cluster.happensInTask(execution, { kind: 'settled', key, what: name, how, value });
    const fail = (cause: Error): void => {
      if (options.retry?.maximumAttempts !== 1) {
        execution.localRunning -= 1;
        this.cluster.time.after(TRY_AGAIN_MS, tryOnce);
        return;
      }
      const state = RetryState.MAXIMUM_ATTEMPTS_REACHED;
      settle('reject', new ActivityFailure('Activity task failed', name, id, state, undefined, cause));
    };
    const tryOnce = (): void => {
      execution.localRunning += 1;
      if (!execution.isClosed)
        this.tryOnce(
          execution,
          { name, id, options, input },
          {
            resolve: (value) => settle('resolve', value),
            fail,
            again: () => this.cluster.taskTimedOut(execution, tryOnce),
          },
        );
    };
    execution.began(key, { what: name, resolve, reject, begin: tryOnce });
    return promise;
  }

  private tryOnce(
    execution: Execution,
    { name, id, options, input }: { name: string; id: string; options: ActivityOptions; input: unknown },
    then: { resolve(value: unknown): void; fail(cause: Error): void; again(): void },
  ): void {
    this.cluster.whenWorker((process) => {
      let over = false;
      const end = (how: () => void): void => {
        if (over) return;
        over = true;
        forget();
        timer.cancel();
        how();
      };
      const forget = process.onStopped(() => end(() => this.cluster.time.after(WORKFLOW_TASK_TIMEOUT_MS, then.again)));
      const limit = msToNumber(options.startToCloseTimeout ?? '7s');
      const timer = this.cluster.time.after(limit, () =>
        end(() => then.fail(new TimeoutFailure('local activity timed out', undefined, TimeoutType.START_TO_CLOSE))),
      );
      this.cluster
        .perform(process, execution, { name, id, attempt: 1, input: copyOf(input), heartbeat: () => {}, signal: NEVER })
        .then(
          async (value) => {
            await process.wait(this.cluster.latency());
            end(() => then.resolve(copyOf(value)));
          },
          (error: unknown) => end(() => then.fail(ensureApplicationFailure(error))),
        );
    });
  }
}

const NEVER = new AbortController().signal;
