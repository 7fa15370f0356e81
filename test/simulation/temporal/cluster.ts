import { type Duration, ensureApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { Random } from '../random.ts';
import { currentHost, type VirtualTime } from '../virtual-time.ts';
import { type RunningActivity, runningActivity } from './activity-module.ts';
import { ActivityTasks } from './activity-tasks.ts';
import { CancellationScope, inWorkflow } from './cancellation.ts';
import { Execution, type ExecutionStart } from './execution.ts';
import { LocalActivities } from './local-activities.ts';
import { copyOf } from './payloads.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface ActivityOptions {
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

  constructor(input: unknown) {
    super('continue as new');
    this.input = input;
  }
}

export type WorkflowFunction = (input: never) => Promise<unknown>;

/** What the simulation wants to know about executions. */
export interface ClusterEvents {
  /** `failure`: it threw, which closes it when it is a failure of Temporal and leaves it hanging otherwise. */
  closed(execution: Execution, end: { result: unknown } | { failure: string }): void;
  /** Workflow code has run and is at rest. */
  activated(execution: Execution): void;
  /** A process begins an activity. */
  performs(execution: Execution, activity: string, process: WorkerProcess): void;
}

interface Performance {
  name: string;
  id: string;
  attempt: number;
  input: unknown;
  heartbeat(): void;
  signal: AbortSignal;
}

/** The durable part of a Temporal server, in virtual time: executions by id, messages to them, and their activities. */
export class Cluster {
  readonly time: VirtualTime;
  readonly activities = new ActivityTasks(this);
  readonly localActivities = new LocalActivities(this);
  /** Newest run of each workflow id. */
  readonly executions = new Map<string, Execution>();
  readonly processes: WorkerProcess[] = [];
  private readonly random: Random;
  private readonly workflows: Readonly<Record<string, WorkflowFunction>>;
  private readonly events: ClusterEvents;
  private readonly touched = new Set<Execution>();
  private readonly backlog: ((process: WorkerProcess) => void)[] = [];
  private runs = 0;

  constructor(time: VirtualTime, random: Random, workflows: Record<string, WorkflowFunction>, events: ClusterEvents) {
    this.time = time;
    this.random = random;
    this.workflows = workflows;
    this.events = events;
  }

  /** A short way through the server: scheduling, polling, reporting. */
  latency(): number {
    return this.random.between(1, 20);
  }

  // Worker processes

  join(process: WorkerProcess): void {
    this.processes.push(process);
    for (const waiting of this.backlog.splice(0)) waiting(process);
  }

  /** Runs `work` with a process that is up: now, or when one comes. */
  whenWorker(work: (process: WorkerProcess) => void): void {
    const alive = this.processes.filter(({ isAlive }) => isAlive);
    if (alive.length === 0) this.backlog.push(work);
    else work(this.random.pick(alive));
  }

  /** Runs the code of an activity in a process. */
  async perform(process: WorkerProcess, execution: Execution, performance: Performance): Promise<unknown> {
    const { name, id, attempt, input, heartbeat, signal } = performance;
    const { workflowId, runId } = execution.start;
    const info = { activityId: id, attempt, workflowExecution: { workflowId, runId } };
    const activity: RunningActivity = { info, process, heartbeat, signal };
    const code = process.activities[name];
    if (code === undefined) throw new Error(`there is no activity ${name}`);
    this.events.performs(execution, `${name} ${id}.${attempt}`, process);
    return currentHost.run(process, () => runningActivity.run(activity, () => code(input)));
  }

  // Executions

  /** False when the id runs already. */
  start(
    type: string,
    workflowId: string,
    input: unknown,
    attributes: ReadonlyMap<string, unknown> = new Map(),
  ): boolean {
    if (this.isOpen(workflowId)) return false;
    this.begin({ type, workflowId, runId: this.newRunId(), input: copyOf(input), attributes });
    return true;
  }

  isOpen(workflowId: string): boolean {
    return this.executions.get(workflowId)?.isClosed === false;
  }

  open(workflowId: string): Execution | undefined {
    const execution = this.executions.get(workflowId);
    return execution?.isClosed === false ? execution : undefined;
  }

  /** Drops the run where it stands; what its activities do meanwhile stays done. */
  terminate(workflowId: string): void {
    const execution = this.open(workflowId);
    if (execution !== undefined) execution.isClosed = true;
  }

  /** Another run of the same execution from its beginning. */
  reset(workflowId: string): void {
    const execution = this.open(workflowId);
    if (execution === undefined) return;
    execution.isClosed = true;
    this.begin({ ...execution.start, runId: this.newRunId() });
  }

  cancel(workflowId: string): void {
    const execution = this.open(workflowId);
    if (execution !== undefined) this.deliver(execution, () => execution.root.cancel());
  }

  /** False when no such workflow is open. */
  signal(workflowId: string, name: string, payload?: unknown): boolean {
    const execution = this.open(workflowId);
    if (execution === undefined) return false;
    const given = copyOf(payload);
    this.deliver(execution, () =>
      execution.whenHandled('signal', name, () => void execution.signals.get(name)?.(given)),
    );
    return true;
  }

  signalWithStart(type: string, workflowId: string, input: unknown, signal: string): void {
    this.start(type, workflowId, input);
    this.signal(workflowId, signal);
  }

  /** Rejects when the update is refused or its workflow is closed; never settles when the run is dropped. */
  update(workflowId: string, name: string, payload: unknown): Promise<unknown> {
    const execution = this.open(workflowId);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    promise.catch(() => {});
    if (execution === undefined) {
      reject(new Error('workflow not found'));
      return promise;
    }
    const given = copyOf(payload);
    this.deliver(execution, () =>
      execution.whenHandled('update', name, () => void this.handle(execution, name, given).then(resolve, reject)),
    );
    return promise;
  }

  activate(execution: Execution, work: () => void): void {
    this.touched.add(execution);
    execution.activate(work);
  }

  /** Called when all code is at rest; returns whether some of it can go on. */
  settle(): boolean {
    let unblocked = false;
    for (const execution of this.touched) {
      if (execution.unblock()) unblocked = true;
    }
    if (unblocked) return true;
    const touched = [...this.touched];
    this.touched.clear();
    for (const execution of touched) this.events.activated(execution);
    return false;
  }

  private async handle(execution: Execution, name: string, payload: unknown): Promise<unknown> {
    const handler = execution.updates.get(name);
    handler?.validate?.(payload);
    execution.handlersRunning += 1;
    try {
      const scope = new CancellationScope({ parent: execution.root });
      return copyOf(await inWorkflow(execution, scope, async () => handler?.run(payload)));
    } finally {
      execution.handlersRunning -= 1;
      this.touched.add(execution);
    }
  }

  private deliver(execution: Execution, work: () => void): void {
    this.time.after(this.latency(), () => this.activate(execution, work));
  }

  private begin(start: ExecutionStart): void {
    const workflow = this.workflows[start.type];
    if (workflow === undefined) throw new Error(`there is no workflow ${start.type}`);
    const execution = new Execution(start);
    this.executions.set(start.workflowId, execution);
    this.deliver(execution, () => {
      const running = (async () => workflow(start.input as never))();
      running.then(
        (result) => this.close(execution, { result: copyOf(result) }),
        (error: unknown) => this.threw(execution, error),
      );
    });
  }

  private threw(execution: Execution, error: unknown): void {
    if (execution.isClosed) return;
    if (error instanceof ContinueAsNew) {
      execution.isClosed = true;
      this.begin({ ...execution.start, runId: this.newRunId(), input: copyOf(error.input) });
      return;
    }
    const { message, type } = ensureApplicationFailure(
      error instanceof Error && error.cause instanceof Error ? error.cause : error,
    );
    const kind = error instanceof TemporalFailure ? 'failed' : 'its task fails again and again';
    this.close(execution, { failure: `${kind}: ${type ?? ''} ${message}` });
  }

  private close(execution: Execution, end: { result: unknown } | { failure: string }): void {
    if (execution.isClosed) return;
    execution.isClosed = true;
    this.events.closed(execution, end);
  }

  private newRunId(): string {
    this.runs += 1;
    return `run-${this.runs}`;
  }
}
