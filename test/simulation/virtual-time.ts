import { AsyncLocalStorage } from 'node:async_hooks';

/** Epoch at which every run begins. */
export const RUN_START = Date.UTC(2026, 0, 5, 9);

const afterMicrotasks = setImmediate;

/** Where code runs that can pause: a paused or dead process takes its timers with it. */
export interface Host {
  /** Runs `work` now, later or never, as the process is alive, paused or dead. */
  deliver(work: () => void): void;
}

interface Event {
  at: number;
  order: number;
  work: () => void;
}

/**
 * Virtual time: events in the order of their times, and of their making where times are equal. Between two events every
 * promise that can go on has gone on.
 */
export class VirtualTime {
  now = RUN_START;
  /** What clocks show while a workflow is replayed: the time of what it goes through. */
  shown: number | undefined;
  /** What is about to happen and a run waits for. */
  expected = 0;
  private readonly heap: Event[] = [];
  private made = 0;

  /** Runs `work` after `ms`; the handle cancels it. */
  after(ms: number, work: () => void): { cancel(): void } {
    this.made += 1;
    const event: Event = { at: this.now + Math.max(0, Math.ceil(ms)), order: this.made, work };
    this.push(event);
    return {
      cancel: () => {
        event.work = () => {};
      },
    };
  }

  /** The same, and no run is over before it. */
  expect(ms: number, work: () => void): void {
    this.expected += 1;
    this.after(ms, () => {
      this.expected -= 1;
      work();
    });
  }

  /** Runs events until `done` or the time is up; `afterEach` sees the idle world after every event. */
  async run(until: number, done: () => boolean, afterEach: () => boolean): Promise<void> {
    while (!done()) {
      const event = this.heap[0];
      if (event === undefined || event.at > until) {
        this.now = Math.max(this.now, until);
        return;
      }
      this.pop();
      this.now = event.at;
      event.work();
      do await new Promise<void>(afterMicrotasks);
      while (afterEach());
    }
  }

  private push(event: Event): void {
    const { heap } = this;
    heap.push(event);
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[at], heap[parent])) return;
      swap(heap, at, parent);
      at = parent;
    }
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = right < heap.length && isBefore(heap[right], heap[left]) ? right : left;
      if (child >= heap.length || !isBefore(heap[child], heap[at])) return;
      swap(heap, at, child);
      at = child;
    }
  }
}

function isBefore(a: Event | undefined, b: Event | undefined): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function swap(heap: Event[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]];
  if (first === undefined || second === undefined) return;
  heap[a] = second;
  heap[b] = first;
}

/** The process whose code runs now; nothing in workflows and in the simulation itself. */
export const currentHost = new AsyncLocalStorage<Host>();

/** What the product's clocks, timers and dice are bound to, exchanged from run to run. */
export interface Surroundings {
  time: VirtualTime;
  random: () => number;
}

/** Puts virtual clocks, timers and dice in the place of the global ones, for the whole process. */
export function installGlobals(surroundings: () => Surroundings): void {
  const RealDate = Date;
  const now = (): number => {
    const { time } = surroundings();
    return time.shown ?? time.now;
  };
  class VirtualDate extends RealDate {
    constructor(...given: [] | [number | string | Date]) {
      super(...((given.length === 0 ? [now()] : given) as [number]));
    }
    static override now(): number {
      return now();
    }
  }
  const later = (work: () => void, ms = 0): { cancel(): void } => {
    const host = currentHost.getStore();
    const run = AsyncLocalStorage.bind(work);
    return surroundings().time.after(ms, host === undefined ? run : () => host.deliver(run));
  };
  const repeat = (work: () => void, ms: number): { cancel(): void; unref(): void } => {
    let stopped = false;
    let timer = later(tick, ms);
    function tick(): void {
      if (stopped) return;
      work();
      timer = later(tick, ms);
    }
    return {
      cancel: () => {
        stopped = true;
        timer.cancel();
      },
      unref: () => {},
    };
  };
  const cancel = (timer: { cancel(): void } | undefined): void => timer?.cancel();
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: later,
    clearTimeout: cancel,
    setInterval: repeat,
    clearInterval: cancel,
  });
  Object.defineProperty(globalThis, 'performance', { value: { now: () => now() - RUN_START } });
  Math.random = () => surroundings().random();
}
