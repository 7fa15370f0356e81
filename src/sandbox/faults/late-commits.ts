/** Requests that were read and will be executed later. In memory: a restart forgets them, as if they had been lost. */
export class LateCommits {
  #waiting: { at: number; commit: (at: number) => void }[] = [];

  /** `at`: epoch milliseconds of the sandbox's clock. */
  add(at: number, commit: (at: number) => void): void {
    this.#waiting.push({ at, commit });
    this.#waiting.sort((a, b) => a.at - b.at);
  }

  /** Executes what has fallen due, each at its own time: no timer runs, so the clock alone decides what a request sees. */
  takeDue(now: number): void {
    for (let next = this.#waiting[0]; next !== undefined && next.at <= now; next = this.#waiting[0]) {
      this.#waiting.shift();
      next.commit(next.at);
    }
  }

  /** When the next one falls due, epoch milliseconds. */
  get nextAt(): number | undefined {
    return this.#waiting[0]?.at;
  }

  get count(): number {
    return this.#waiting.length;
  }
}
