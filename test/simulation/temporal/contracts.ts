import type { Duration } from '@temporalio/common';
import type { Execution } from './execution.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface ActivityOptions {
  activityId?: string;
  startToCloseTimeout?: Duration;
  scheduleToCloseTimeout?: Duration;
  heartbeatTimeout?: Duration;
  retry?: {
    maximumAttempts?: number;
    initialInterval?: Duration;
    maximumInterval?: Duration;
    backoffCoefficient?: number;
  };
}

/** Thrown by a workflow that starts over with a fresh history. */
export class ContinueAsNew extends Error {
  readonly input: unknown;
  /** Arguments behind the input. */
  readonly more: unknown[];

  constructor([input, ...more]: unknown[]) {
    super('continue as new');
    this.input = input;
    this.more = more;
  }
}

export type WorkflowFunction = (input: never, ...more: never[]) => Promise<unknown>;

/** What the simulation wants to know about executions. */
export interface ClusterEvents {
  /** `failure`: it threw, which closes it when it is a failure of Temporal and leaves it hanging otherwise. */
  closed(execution: Execution, end: { result: unknown } | { failure: string }): void;
  /** Workflow code has run and is idle. */
  activated(execution: Execution): void;
  /** A process has the task of an activity in hand, and has not begun it. */
  taken(execution: Execution, activity: string, process: WorkerProcess): void;
  /** A process begins an activity. */
  performs(execution: Execution, activity: string, process: WorkerProcess): void;
}
