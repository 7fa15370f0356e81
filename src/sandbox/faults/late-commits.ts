/** Requests that were received and will be executed later. In memory: a restart loses them. */
export class LateCommits {
  #waiting: { at: number; commit: (at: number) => void }[] = [];

  /** `at`: epoch milliseconds of the sandbox's clock. */
  add(at: number, commit: (at: number) => void): void {
    this.#waiting.push({ at, commit });
    this.#waiting.sort((a, b) => a.at - b.at);
  }

  /** Executes what is due, each at its own time. There are no timers, so only the clock decides what a request sees. */
  takeDue(now: number): void {
    for (let next = this.#waiting[0]; next !== undefined && next.at <= now; next = this.#waiting[0]) {
      this.#waiting.shift();
      next.commit(next.at);
    }
  }

  /** When the next one is due, epoch milliseconds. */
  get nextAt(): number | undefined {
    return this.#waiting[0]?.at;
  }

  get count(): number {
    return this.#waiting.length;
  }
}
