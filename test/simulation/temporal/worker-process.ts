import type { Host, VirtualTime } from '../virtual-time.ts';

/** An activity by its name, over the dependencies of one process. */
export type ActivityFunctions = Record<string, (input: unknown) => Promise<unknown>>;

/**
 * One worker process. Everything its code waits for comes through `deliver`: a dead process never goes on, a paused one
 * (SIGSTOP, a suspended machine) goes on where it was once it is resumed, after all that has happened meanwhile.
 */
export class WorkerProcess implements Host {
  readonly name: string;
  activities: ActivityFunctions = {};
  private state: 'alive' | 'paused' | 'dead' = 'alive';
  private readonly held: (() => void)[] = [];
  private readonly stopped = new Set<() => void>();
  private readonly time: VirtualTime;

  constructor(name: string, time: VirtualTime) {
    this.name = name;
    this.time = time;
  }

  get isAlive(): boolean {
    return this.state === 'alive';
  }

  get isDead(): boolean {
    return this.state === 'dead';
  }

  deliver(work: () => void): void {
    if (this.state === 'alive') work();
    else if (this.state === 'paused') this.held.push(work);
  }

  /** Resolves after `ms`, as far as the process lives to see it. */
  wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.time.after(ms, () => this.deliver(resolve));
    return promise;
  }

  /** Notifies `work` when the process stops answering; returns how to stop listening. */
  onStopped(work: () => void): () => void {
    this.stopped.add(work);
    return () => this.stopped.delete(work);
  }

  kill(): void {
    this.state = 'dead';
    this.notifyStopped();
  }

  pause(): void {
    this.state = 'paused';
    this.notifyStopped();
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'alive';
    for (const work of this.held.splice(0)) work();
  }

  private notifyStopped(): void {
    for (const work of [...this.stopped]) work();
    this.stopped.clear();
  }
}
