import type { Log } from '../../domain/log.ts';
import type { Store, SubscriptionMove, SubscriptionRecord } from '../../store/store.ts';

/** Longer than two deliveries may take: if the process dies, another one follows after this time. */
const LEASE_MS = 60_000;

export interface LeaseDeps {
  store: Store;
  log: Log;
  /** Epoch ms. */
  now: () => number;
  /** Different in each process. */
  owner: string;
}

/** The right to deliver to a subscription, held by one process at a time. */
export class Lease implements AsyncDisposable {
  readonly #deps: LeaseDeps;
  readonly #name: string;
  #renewAt = 0;
  #renewing: Promise<SubscriptionRecord | undefined> | undefined;

  constructor(deps: LeaseDeps, name: string) {
    this.#deps = deps;
    this.#name = name;
  }

  /** Takes or renews the lease. The state of the subscription; undefined if another process has the lease. */
  take(): Promise<SubscriptionRecord | undefined> {
    this.#renewing ??= this.#take().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #take(): Promise<SubscriptionRecord | undefined> {
    const { store, owner, now } = this.#deps;
    const at = now();
    const state = await store.leaseSubscription({ name: this.#name, owner, now: at, until: at + LEASE_MS });
    this.#renewAt = state === undefined ? 0 : at + LEASE_MS / 3;
    return state;
  }

  /** Whether the lease still covers a delivery that begins now. */
  async hold(): Promise<boolean> {
    return this.#deps.now() < this.#renewAt || (await this.take()) !== undefined;
  }

  /** Stores the progress made since `before`; false if another process took over, or a replay was requested. */
  async move(before: SubscriptionRecord, move: SubscriptionMove): Promise<boolean> {
    const { store, owner, log } = this.#deps;
    const { name, position } = before;
    if (!(await store.recordDeliveryProgress({ name, owner, from: position }, move))) return false;
    if (move.parkedAt != null) {
      log.error({ id: name, reason: move.why }, 'events are parked: nothing is sent until payouts events replay');
    } else if (move.why != null && before.failingSince === null) {
      log.warn({ id: name, reason: move.why }, 'events are not accepted; trying again');
    }
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.store.releaseSubscription({ name: this.#name, owner: this.#deps.owner });
  }
}
