import type { CardEvent } from '../domain/card-payment.ts';
import type { Log } from '../log.ts';

/** An event as a webhook brought it: whose it says it is. */
export type ReceivedEvent = CardEvent & { merchantRequestId: string | null };

const AT_ONCE = 16;
/** More than this is left to the worker, which goes through all that is not delivered. */
const WAITING_MAX = 10_000;

/** Delivers stored events, a few at once. What fails, or is left when it closes, stays in the store for the worker. */
export class EventQueue {
  readonly #deliver: (event: ReceivedEvent) => Promise<unknown>;
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();
  #waiting: ReceivedEvent[] = [];

  constructor(deliver: (event: ReceivedEvent) => Promise<unknown>, log: Log) {
    this.#deliver = deliver;
    this.#log = log;
  }

  add(event: ReceivedEvent): void {
    if (this.#waiting.length >= WAITING_MAX) return;
    this.#waiting.push(event);
    if (this.#running.size >= AT_ONCE) return;
    const running = this.#run().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async close(): Promise<void> {
    this.#waiting = [];
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      try {
        await this.#deliver(event);
      } catch (error) {
        this.#log.warn({ error, kind: event.kind }, 'card event not delivered yet');
      }
    }
  }
}
