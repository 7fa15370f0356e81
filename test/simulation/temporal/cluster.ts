import { ensureApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { Random } from '../random.ts';
import { currentHost, type VirtualTime } from '../virtual-time.ts';
import { type RunningActivity, runningActivity } from './activity-module.ts';
import { ActivityTasks } from './activity-tasks.ts';
import { CancellationScope, inWorkflow } from './cancellation.ts';
import { type ClusterEvents, ContinueAsNew, type WorkflowFunction } from './contracts.ts';
import { Execution, type ExecutionStart, type HistoryEvent, type NewEvent } from './execution.ts';
import { LocalActivities } from './local-activities.ts';
import { copyOf } from './payloads.ts';
import { Replay } from './replay.ts';
import type { WorkerProcess } from './worker-process.ts';

const ignore = (done: Promise<unknown>): void => void done.catch(() => {});

interface Performance {
  name: string;
  id: string;
  attempt: number;
  input: unknown;
  heartbeat(): void;
  signal: AbortSignal;
}

/** What a cluster holds at one moment: its newest runs, each with the length of its history then. */
export type ClusterMoment = readonly { execution: Execution; events: number; isClosed: boolean }[];

/** The durable part of a Temporal server, in virtual time: executions by id, messages to them, and their activities. */
export class Cluster {
  readonly time: VirtualTime;
  readonly activities = new ActivityTasks(this);
  readonly localActivities = new LocalActivities(this);
  /** Newest run of each workflow id. */
  readonly executions = new Map<string, Execution>();
  readonly processes: WorkerProcess[] = [];
  /** A small history, so that a long wait is seen to start over. */
  activationsMax = 60;
  private readonly random: Random;
  private readonly workflows: Readonly<Record<string, WorkflowFunction>>;
  private readonly events: ClusterEvents;
  private readonly touched = new Set<Execution>();
  private readonly backlog: ((process: WorkerProcess) => void)[] = [];
  private readonly replays: Replay[] = [];
  private readonly runsMade = new Map<string, number>();
  private readonly runPrefix: string;
  private runs = 0;

  /** `runPrefix`: of the ids of its runs. */
  constructor(
    time: VirtualTime,
    random: Random,
    workflows: Record<string, WorkflowFunction>,
    events: ClusterEvents,
    runPrefix = 'run',
  ) {
    this.runPrefix = runPrefix;
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

  /** The server has given the task to a process. */
  taken(execution: Execution, activity: string, process: WorkerProcess): void {
    this.events.taken(execution, activity, process);
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
    memo: Readonly<Record<string, unknown>> = {},
  ): boolean {
    if (this.isOpen(workflowId)) return false;
    const runId = this.newRunId();
    this.begin({ type, workflowId, runId, firstRunId: runId, input: copyOf(input), more: [], attributes, memo });
    return true;
  }

  /** How many runs an execution has had. */
  runsOf(workflowId: string): number {
    return this.runsMade.get(workflowId) ?? 0;
  }

  isOpen(workflowId: string): boolean {
    return this.executions.get(workflowId)?.isClosed === false;
  }

  open(workflowId: string): Execution | undefined {
    const execution = this.executions.get(workflowId);
    return execution?.isClosed === false ? execution : undefined;
  }

  /** Drops the run in its present state; what its activities do meanwhile stays done. */
  terminate(workflowId: string): void {
    const execution = this.open(workflowId);
    if (execution !== undefined) execution.isClosed = true;
  }

  /**
   * Another run of the same execution, open or closed, from where the first `events` of its history lead. Messages that came
   * after are given to it again, or not.
   */
  reset(workflowId: string, { events, messages }: { events: number; messages: 'kept' | 'dropped' }): void {
    const from = this.executions.get(workflowId);
    // One that is about to begin has no history yet.
    if (from === undefined || from.held !== undefined) return;
    from.isClosed = true;
    const execution = this.made({ ...from.start, runId: this.newRunId() });
    const before = from.history.slice(0, events);
    const after = from.history.slice(events).filter(({ kind }) => kind !== 'settled');
    const again = events > 0 ? after : after.filter(({ kind }) => kind !== 'started');
    this.time.after(this.latency(), () => {
      this.replays.push(
        new Replay(this, execution, events > 0 ? before : from.history.slice(0, 1), () => {
          for (const event of messages === 'kept' ? again : []) this.deliver(execution, event);
        }),
      );
    });
  }

  /** Undefined while something is under way that no history shows. */
  moment(): ClusterMoment | undefined {
    const executions = [...this.executions.values()];
    const isBusy = executions.some(
      ({ isClosed, isReplaying, localRunning, buffered }) =>
        !isClosed && (isReplaying || localRunning > 0 || buffered.length > 0),
    );
    if (isBusy || this.replays.length > 0) return undefined;
    return executions.map((execution) => {
      const { history, isClosed } = execution;
      return { execution, events: history.length, isClosed };
    });
  }

  /** Everything is as it was, under the same run ids; messages on their way are lost, and what was under way begins again. */
  goBack(moment: ClusterMoment): void {
    for (const execution of this.executions.values()) execution.isClosed = true;
    this.executions.clear();
    this.take(moment);
  }

  /** Goes on with what another cluster held at a moment. */
  take(moment: ClusterMoment): void {
    for (const { execution: from, events, isClosed } of moment) {
      const execution = this.made(from.start);
      execution.isClosed = isClosed;
      if (isClosed) execution.history.push(...from.history.slice(0, events));
      else if (events === 0) this.deliver(execution, { kind: 'started' });
      else this.replays.push(new Replay(this, execution, from.history.slice(0, events), () => {}));
    }
  }

  cancel(workflowId: string): void {
    const execution = this.open(workflowId);
    if (execution !== undefined) this.deliver(execution, { kind: 'cancel' });
  }

  /** False when no such workflow is open. `reported`: right before its code receives it. */
  signal(workflowId: string, name: string, payload?: unknown, reported: () => void = () => {}): boolean {
    const execution = this.open(workflowId);
    if (execution === undefined) return false;
    this.deliver(execution, { kind: 'signal', name, payload: copyOf(payload) }, reported);
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
    this.deliver(execution, { kind: 'update', name, payload: copyOf(payload) }, (done) => done.then(resolve, reject));
    return promise;
  }

  /** What the code of an execution goes by, written down and passed to it. */
  happens(execution: Execution, event: NewEvent, answer: (done: Promise<unknown>) => void = ignore): void {
    if (execution.isClosed) return;
    if (execution.held !== undefined && event.kind !== 'started') {
      execution.held.push(() => this.happens(execution, event, answer));
    } else if (execution.localRunning > 0) {
      execution.buffered.push({ event, answer });
    } else this.write(execution, event, answer);
  }

  /** A local activity settles inside the workflow task. */
  happensInTask(execution: Execution, event: NewEvent): void {
    execution.localRunning -= 1;
    if (!execution.isClosed) this.write(execution, event, ignore);
  }

  private write(execution: Execution, event: NewEvent, answer: (done: Promise<unknown>) => void): void {
    // A cancel of what has settled already, in an earlier run as well.
    if (event.kind === 'settled' && !execution.pending.has(event.key)) return;
    const written = { ...event, at: this.time.now };
    execution.history.push(written);
    this.apply(execution, written, answer);
    if (event.kind === 'started') execution.begun();
  }

  apply(execution: Execution, event: HistoryEvent, answer: (done: Promise<unknown>) => void = ignore): void {
    this.activate(execution, () => {
      switch (event.kind) {
        case 'started':
          this.run(execution);
          break;
        case 'settled': {
          const pending = execution.pending.get(event.key);
          execution.pending.delete(event.key);
          pending?.[event.how](event.value);
          break;
        }
        case 'signal':
          execution.whenHandled('signal', event.name, () => {
            answer(Promise.resolve());
            execution.signals.get(event.name)?.(event.payload);
          });
          break;
        case 'update':
          execution.whenHandled('update', event.name, () => answer(this.handle(execution, event.name, event.payload)));
          break;
        case 'cancel':
          execution.root.cancel();
      }
    });
  }

  activate(execution: Execution, work: () => void): void {
    this.touched.add(execution);
    execution.activate(work);
  }

  /** Called when all code is idle; returns whether some of it can go on. */
  settle(): boolean {
    let unblocked = false;
    for (const execution of this.touched) {
      if (execution.unblock()) unblocked = true;
    }
    if (unblocked || this.replayed() || this.nextTasks()) return true;
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

  /**
   * The code is idle: a workflow task without a local activity is over, and what came meanwhile begins the next ones. One
   * message each, as a replay goes through them.
   */
  private nextTasks(): boolean {
    const due = [...this.touched].filter(({ localRunning, buffered }) => localRunning === 0 && buffered.length > 0);
    for (const execution of due) {
      this.events.activated(execution);
      const [next] = execution.buffered.splice(0, 1);
      if (next !== undefined) this.happens(execution, next.event, next.answer);
    }
    return due.length > 0;
  }

  /** The workflow task has timed out: the next one begins with what came meanwhile, and then runs the local activity again. */
  taskTimedOut(execution: Execution, runAgain: () => void): void {
    execution.localRunning -= 1;
    this.touched.add(execution);
    this.time.after(0, runAgain);
  }

  /** One step of a replay; false when there is none to make. */
  private replayed(): boolean {
    const [replay] = this.replays;
    if (replay?.step() === false) this.replays.shift();
    return replay !== undefined;
  }

  private deliver(execution: Execution, event: NewEvent, answer?: (done: Promise<unknown>) => void): void {
    this.time.after(this.latency(), () => this.happens(execution, event, answer));
  }

  private begin(start: ExecutionStart): void {
    if (this.workflows[start.type] === undefined) throw new Error(`there is no workflow ${start.type}`);
    this.deliver(this.made(start), { kind: 'started' });
  }

  private made(start: ExecutionStart): Execution {
    const execution = new Execution(this, start);
    this.executions.set(start.workflowId, execution);
    this.runsMade.set(start.workflowId, this.runsOf(start.workflowId) + 1);
    return execution;
  }

  private run(execution: Execution): void {
    const workflow = this.workflows[execution.start.type];
    const running = (async () => workflow?.(execution.start.input as never, ...(execution.start.more as never[])))();
    running.then(
      (result) => this.close(execution, { result: copyOf(result) }),
      (error: unknown) => this.threw(execution, error),
    );
  }

  private threw(execution: Execution, error: unknown): void {
    if (execution.isClosed) return;
    if (error instanceof ContinueAsNew) {
      execution.isClosed = true;
      this.begin({ ...execution.start, runId: this.newRunId(), input: copyOf(error.input), more: copyOf(error.more) });
      const next = this.executions.get(execution.start.workflowId) ?? execution;
      for (const { event, answer } of execution.buffered.filter(({ event: { kind } }) => kind !== 'settled')) {
        this.deliver(next, event, answer);
      }
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
    return `${this.runPrefix}-${this.runs}`;
  }
}
