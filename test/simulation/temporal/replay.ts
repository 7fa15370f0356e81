import type { Cluster } from './cluster.ts';
import type { Execution, HistoryEvent } from './execution.ts';
import { copyOf } from './payloads.ts';

/**
 * A run that goes through what has happened to an earlier one, event by event and at the times of then, and goes on by itself
 * where that ends: what it has begun and what has not settled is then begun for it.
 */
export class Replay {
  private readonly cluster: Cluster;
  private readonly execution: Execution;
  private readonly rest: HistoryEvent[];
  private readonly done: () => void;

  constructor(cluster: Cluster, execution: Execution, history: readonly HistoryEvent[], done: () => void) {
    this.cluster = cluster;
    this.execution = execution;
    this.rest = [...history];
    this.done = done;
    execution.isReplaying = true;
  }

  /** Called when all code is idle. False: the replay is over. */
  step(): boolean {
    const { execution, cluster } = this;
    const event = this.rest.shift();
    if (event === undefined || execution.isClosed) {
      this.end();
      return false;
    }
    if (event.kind === 'settled' && execution.pending.get(event.key)?.what !== event.what) {
      throw new Error(`the replay of ${execution.start.workflowId} has not begun ${event.key}, ${event.what}`);
    }
    cluster.time.shown = event.at;
    const again =
      event.kind === 'settled' && event.how === 'resolve' ? { ...event, value: copyOf(event.value) } : event;
    execution.history.push(again);
    cluster.apply(execution, again);
    return true;
  }

  private end(): void {
    const { execution, cluster } = this;
    cluster.time.shown = undefined;
    execution.isReplaying = false;
    execution.replayed = execution.history.length;
    for (const { begin } of [...execution.pending.values()]) begin();
    execution.begun();
    this.done();
  }
}
