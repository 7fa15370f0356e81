/** The sandbox's time: a base clock (`Date.now` or a test's) plus an offset that lives in memory only. */
export class SandboxClock {
  readonly #base: () => number;
  #offsetMs = 0;
  #onAdvance: () => void = () => {};

  constructor(base: () => number = Date.now) {
    this.#base = base;
  }

  /** Epoch milliseconds. */
  now = (): number => Math.trunc(this.#base()) + this.#offsetMs;

  /** Forward only: statuses never go back in time. Throws a RangeError on a negative or broken number. */
  advance(ms: number): void {
    if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError('the clock advances by whole milliseconds from 0 up');
    this.#offsetMs += ms;
    this.#onAdvance();
  }

  /** Time without what was added: what a peer with a clock of its own takes for the time. */
  base = (): number => Math.trunc(this.#base());

  /** `listener` is called after each advance; it takes the place of the one before. */
  onAdvance(listener: () => void): void {
    this.#onAdvance = listener;
  }
}
