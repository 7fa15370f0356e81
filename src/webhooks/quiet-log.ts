import type { Log } from '../log.ts';

const QUIET_MS = 60_000;

/** Warns once a minute for each reason, with a count, so that a flood of webhooks does not fill the log. */
export class QuietLog {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #warned = new Map<string, { at: number; since: number }>();

  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  warn(reason: string, message: string, more: object = {}): void {
    const at = this.#now();
    const last = this.#warned.get(reason);
    if (last !== undefined && at - last.at < QUIET_MS) {
      last.since += 1;
      return;
    }
    this.#log.warn({ reason, ...more, unsaidBefore: last?.since ?? 0 }, message);
    this.#warned.set(reason, { at, since: 0 });
  }
}
