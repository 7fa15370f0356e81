import type { CardEvent } from '../../domain/card-payment.ts';
import type { Log } from '../../domain/log.ts';

/** An event as received in a webhook, with the payment that it claims to belong to. */
export type ReceivedEvent = CardEvent & { merchantRequestId: string | null };

const AT_ONCE = 16;
/** Beyond this, events are left to the worker, which delivers all that are still undelivered. */
const WAITING_MAX = 10_000;

/** Delivers stored events, a few at a time. What fails, or is left at `close`, stays in the store for the worker. */
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
