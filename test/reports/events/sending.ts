import type { EventFilter } from '../../../src/domain/events-out.ts';
import { because } from '../../../src/domain/reasons.ts';
import { Secret } from '../../../src/platform/config/key.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { createLog } from '../../../src/platform/log.ts';
import {
  deliverEvents,
  type SenderDeps,
  type WebhookEndpoint,
  webhookEndpoint,
} from '../../../src/reports/events/deliver.ts';
import type { Store, SubscriptionRecord } from '../../../src/store/store.ts';
import { payoutClaim } from '../../store/samples.ts';
import { openEmptyStore } from '../../support/empty-store.ts';
import { Receiver } from './receiver.ts';

export const SECRETS = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
export const NAME = 'erp';
export const { settings: SETTINGS } = loadConfig({});

/** A store, a receiver, and a sender between them in virtual time. */
export class Sending implements AsyncDisposable {
  readonly store: Store;
  readonly receiver: Receiver;
  readonly proxy: WebhookEndpoint;
  now = Date.parse('2026-03-02T08:00:00Z');
  filter: EventFilter = {};
  settings: SenderDeps['settings'] = SETTINGS;
  pages: string | undefined;
  readonly #opened = new AsyncDisposableStack();

  private constructor(store: Store, receiver: Receiver, proxy: WebhookEndpoint) {
    this.store = store;
    this.receiver = receiver;
    this.proxy = proxy;
  }

  static async start(): Promise<Sending> {
    const store = await openEmptyStore();
    const receiver = await Receiver.start();
    const to = { kind: 'webhook', url: receiver.url, secrets: new Secret(SECRETS), privateNetwork: false } as const;
    const made: { now: () => number } = { now: () => 0 };
    const proxy = webhookEndpoint(to, () => made.now());
    const sending = new Sending(store, receiver, proxy);
    made.now = () => sending.now;
    sending.#opened.defer(() => store.close());
    sending.#opened.use(receiver);
    sending.#opened.defer(() => proxy.close());
    // It begins behind what was there before.
    await sending.deliver();
    return sending;
  }

  deps(change: Partial<SenderDeps> = {}): SenderDeps {
    const { signal } = new AbortController();
    const now = (): number => this.now;
    const { store, pages } = this;
    const { settings } = this;
    return { store, settings, pages, log: createLog('silent'), now, draw: () => 0, owner: 'one', signal, ...change };
  }

  /** What one sender does that polls once. */
  deliver(change: Partial<SenderDeps> = {}): Promise<void> {
    const to = {
      kind: 'webhook',
      url: this.receiver.url,
      secrets: new Secret(SECRETS),
      privateNetwork: false,
    } as const;
    return deliverEvents(this.deps(change), { name: NAME, ...this.filter, to }, this.proxy.send);
  }

  /** The same until so much time has gone by, whenever something is due. */
  async deliverFor(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      await this.deliver();
      const next = await this.#nextAt();
      if (next === undefined || next > end) break;
      this.now = Math.max(next, this.now + 1);
    }
    this.now = end;
  }

  async #nextAt(): Promise<number | undefined> {
    const { nextTryAt, parkedAt } = await this.state();
    if (parkedAt !== null) return undefined;
    const refused = (await this.store.refusedEvents(NAME)).filter((it) => it.parkedAt === null);
    const times = [nextTryAt, ...refused.map((it) => it.nextTryAt)].filter((at) => at !== null);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async state(): Promise<SubscriptionRecord> {
    const [state] = await this.store.subscriptions();
    if (state === undefined) throw new Error('there is no subscription');
    return state;
  }

  /** A payout that is with an operator: one event. */
  async stuck(id: string): Promise<{ reference: string; end(): Promise<void> }> {
    const { record } = await this.store.claimPayout(payoutClaim(id));
    const { reference, term } = record;
    const change = { term, state: 'needs-operator', reason: because('status-unclear'), at: this.now } as const;
    await this.store.changePayout(reference, change);
    const end = async (): Promise<void> => {
      await this.store.changePayout(reference, { term, state: 'completed', reason: null, at: this.now });
    };
    return { reference, end };
  }

  /** What was taken, as `kind reference`, in its order. */
  reported(): string[] {
    return this.receiver.taken.map(
      ({ event }) => `${event.type.replace(/^org\.durable-payouts\./, '')} ${event.subject.split('/')[1]}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}
