/** The sandbox's time: a base clock (`Date.now` or a test's) plus an offset that is only in memory. */
export class SandboxClock {
  readonly #base: () => number;
  #offsetMs = 0;
  #onAdvance: () => void = () => {};

  constructor(base: () => number = Date.now) {
    this.#base = base;
  }

  /** Epoch milliseconds. */
  now = (): number => Math.trunc(this.#base()) + this.#offsetMs;

  /** Forward only: statuses never go back in time. Throws a RangeError for a negative or non-integer number. */
  advance(ms: number): void {
    if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError('the clock advances by whole milliseconds from 0 up');
    this.#offsetMs += ms;
    this.#onAdvance();
  }

  /** The time without the offset: what a peer's own clock shows. */
  base = (): number => Math.trunc(this.#base());

  /** `listener` is called after each advance; it replaces the previous one. */
  onAdvance(listener: () => void): void {
    this.#onAdvance = listener;
  }
}
