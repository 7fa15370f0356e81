import { CancellationScope, inWorkflow } from './cancellation.ts';
import type { Cluster } from './cluster.ts';

type Handler = (...args: unknown[]) => unknown;

export interface UpdateHandler {
  run: Handler;
  validate: ((...args: unknown[]) => void) | undefined;
}

/** A message that came before its handler was set. */
interface Early {
  kind: 'signal' | 'update';
  name: string;
  go: () => void;
}

/** What has happened to an execution, in its order: all that its code goes by, so that a replay leads to the same place. */
export type HistoryEvent = { at: number } & NewEvent;

export type NewEvent =
  | { kind: 'started' }
  /** An activity or a timer, by the number it was given when it was begun. */
  | { kind: 'settled'; key: string; what: string; how: 'resolve' | 'reject'; value: unknown }
  | { kind: 'signal' | 'update'; name: string; payload: unknown }
  | { kind: 'cancel' };

export interface Buffered {
  event: NewEvent;
  /** Receives what an update answers. */
  answer: (done: Promise<unknown>) => void;
}

/** An activity or a timer that has not settled. */
export interface Pending {
  /** What it is, to see that a replay begins the same. */
  what: string;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** Hands it to the server: at once, or when a replay has come to its end. */
  begin(): void;
}

export interface ExecutionStart {
  workflowId: string;
  runId: string;
  /** Of the first in its chain: a run that is a reset of another one, or goes on for it, keeps it. */
  firstRunId: string;
  memo: Readonly<Record<string, unknown>>;
  type: string;
  input: unknown;
  /** Arguments behind the input: what a run that continues as new hands over. */
  more: unknown[];
  /** Search attributes given at the start. */
  attributes: ReadonlyMap<string, unknown>;
}

/** One run of a workflow: its handlers, what it waits for, and whether it is closed. */
export class Execution {
  readonly cluster: Cluster;
  readonly start: ExecutionStart;
  readonly attributes: Map<string, unknown>;
  readonly root = new CancellationScope({ parent: null });
  readonly signals = new Map<string, Handler>();
  readonly queries = new Map<string, Handler>();
  readonly updates = new Map<string, UpdateHandler>();
  /** Handlers that have begun and not ended. */
  handlersRunning = 0;
  /** Activations so far: what makes a history long. */
  activations = 0;
  isClosed = false;
  /** Ids of its activities and timers count up, the same on every run of one seed and on every replay. */
  activitiesMade = 0;
  timersMade = 0;
  readonly history: HistoryEvent[] = [];
  readonly pending = new Map<string, Pending>();
  /** What came before its code has begun; undefined once it has. */
  held: (() => void)[] | undefined = [];
  /** It goes through what has happened to an earlier run: what it begins has been begun. */
  isReplaying = false;
  /** Events of its history that it has from an earlier run. */
  replayed = 0;
  /** Local activities that run: the workflow task they belong to is not over. */
  localRunning = 0;
  /** What came during a workflow task: the server delivers it with the next one. */
  readonly buffered: Buffered[] = [];
  private readonly conditions = new Set<{ holds: () => boolean; go: () => void }>();
  private readonly early: Early[] = [];

  constructor(cluster: Cluster, start: ExecutionStart) {
    this.cluster = cluster;
    this.start = start;
    this.attributes = new Map(start.attributes);
  }

  /** It has received itself, and not from an earlier run, what the store knows. */
  get hasPreparedItself(): boolean {
    return this.history
      .slice(this.replayed)
      .some((event) => event.kind === 'settled' && event.what === 'prepare' && event.how === 'resolve');
  }

  /** Runs workflow code of this execution; nothing once it is closed. */
  activate(work: () => void): void {
    if (this.isClosed) return;
    this.activations += 1;
    inWorkflow(this, this.root, work);
  }

  /** The code has begun an activity or a timer. */
  began(key: string, pending: Pending): void {
    this.pending.set(key, pending);
    if (!this.isReplaying) pending.begin();
  }

  /** Its code runs: what has come before is passed to it. */
  begun(): void {
    const { held = [] } = this;
    this.held = undefined;
    for (const notify of held) notify();
  }

  waitFor(holds: () => boolean, go: () => void): () => void {
    const condition = { holds, go };
    this.conditions.add(condition);
    return () => this.conditions.delete(condition);
  }

  /** Lets every condition that has come true go on; returns whether there was one. */
  unblock(): boolean {
    if (this.isClosed) return false;
    let unblocked = false;
    for (const condition of [...this.conditions]) {
      if (!inWorkflow(this, this.root, condition.holds)) continue;
      this.conditions.delete(condition);
      condition.go();
      unblocked = true;
    }
    return unblocked;
  }

  /** Runs `go` when there is a handler of this name: now, or once it is set. */
  whenHandled(kind: Early['kind'], name: string, go: () => void): void {
    const handlers = kind === 'signal' ? this.signals : this.updates;
    if (handlers.has(name)) go();
    else this.early.push({ kind, name, go });
  }

  handlerSet(name: string): void {
    const waiting = this.early.filter((message) => message.name === name);
    for (const message of waiting) {
      this.early.splice(this.early.indexOf(message), 1);
      message.go();
    }
  }

  query(name: string): unknown {
    return inWorkflow(this, this.root, () => this.queries.get(name)?.());
  }
}
