import { setTimeout as pause } from 'node:timers/promises';
import type { Profile } from '../../../src/sandbox/bank/profile.ts';
import type { FaultPlanReport } from '../../../src/sandbox/faults/faults.ts';
import type { LoggedPost } from '../../../src/sandbox/sandbox.ts';

/** What `GET /__sandbox/state` says, as far as a run reads it. */
export interface BankState {
  accounts: { account_id: string; uid: string; currency: string; balance: string; frozen: string }[];
  orders: BankStateOrder[];
  conservation: { ok: boolean; problems: string[] };
  faultPlan: FaultPlanReport | null;
  lateCommits: number;
}

export interface BankStateOrder {
  order_id: string;
  client_order_id: string;
  transaction_uid: string;
  created_at: number;
  updated_at: number;
  type: 'PAYMENT' | 'FX' | 'TRANSFER' | 'REFUND';
  direct: 'IN' | 'OUT';
  status: string;
  transaction_account: string;
  transaction_currency: string;
  transaction_amount: string;
  fee: string;
  fee_currency: string;
  buy_account?: string;
  buy_currency?: string;
  buy_amount?: string;
  money: 'held' | 'settled' | 'released';
}

/** Executions may write into a logged POST for as long as this many newer ones. */
const REREAD_POSTS = 500;
const ANSWER_LIMIT_MS = 2_000;

/**
 * The sandbox's test-only routes over all its lives: faults and log are in its memory, so both are set and read again
 * around every restart.
 */
export class BankProxy {
  /** Over all lives, in the order of receipt. */
  readonly #posts = new Map<string, LoggedPost>();
  readonly #readFaults = new Map<number, FaultPlanReport['reads']>();
  readonly #url: string;
  readonly #profile: Partial<Profile>;
  #plan: Record<string, unknown> | undefined;
  #life = 0;
  #lastSeq = 0;

  constructor(url: string, profile: Partial<Profile>, plan: Record<string, unknown>) {
    this.#url = url;
    this.#profile = profile;
    this.#plan = plan;
  }

  get posts(): LoggedPost[] {
    return [...this.#posts.values()];
  }

  /** Kind -> GETs hit. */
  get readFaults(): Map<string, number> {
    const sum = new Map<string, number>();
    for (const { fired } of this.#readFaults.values())
      for (const [kind, count] of Object.entries(fired)) sum.set(kind, (sum.get(kind) ?? 0) + count);
    return sum;
  }

  /** After a start: waits until it answers, then sends it the profile and the plan. */
  async up(): Promise<void> {
    this.#life += 1;
    this.#lastSeq = 0;
    const life = this.#life;
    const deadline = performance.now() + 60_000;
    for (;;) {
      try {
        await this.#call('PUT', 'profile', this.#profile);
        await this.#sendPlan();
        return;
      } catch (error) {
        if (life !== this.#life || performance.now() > deadline) throw error;
        await pause(30);
      }
    }
  }

  /** No more faults from here on. */
  async calm(): Promise<void> {
    this.#plan = undefined;
    await this.readFaultCounts();
    await this.#sendPlan();
  }

  async refuseConnections(ms: number): Promise<void> {
    await this.#call('POST', 'outage', { ms });
  }

  /** Reads the log on; what cannot be read now is read the next time, or lost with a kill. */
  async readLog(): Promise<void> {
    const life = this.#life;
    const after = Math.max(0, this.#lastSeq - REREAD_POSTS);
    const { posts } = await this.#call<{ posts: LoggedPost[] }>('GET', `posts?after=${after}`);
    if (life !== this.#life) return;
    for (const post of posts) this.#posts.set(`${life} ${post.seq}`, post);
    this.#lastSeq = posts.at(-1)?.seq ?? this.#lastSeq;
  }

  async readFaultCounts(): Promise<void> {
    const life = this.#life;
    const { faultPlan } = await this.state();
    if (faultPlan !== null) this.#readFaults.set(life, faultPlan.reads);
  }

  /** What people do at the bank itself. */
  async passAudit(orderId: string): Promise<void> {
    await this.#call('POST', `orders/${orderId}/status`, { status: 'SUBMITTING' });
  }

  state(): Promise<BankState> {
    return this.#call('GET', 'state');
  }

  /** A life of its own seed: its memory of what was seen begins anew, and the same fault must not meet each repeat. */
  async #sendPlan(): Promise<void> {
    if (this.#plan === undefined) await this.#call('DELETE', 'fault-plan');
    else await this.#call('PUT', 'fault-plan', { ...this.#plan, seed: seedOfLife(this.#plan.seed, this.#life) });
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.#url}/__sandbox/${path}`, {
      method,
      headers: { 'content-type': 'application/json', connection: 'close' },
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${JSON.stringify(answer)}`);
    return answer as T;
  }
}

/** Of the fault plan, for the nth start of the sandbox. */
export const seedOfLife = (seed: unknown, life: number): string => `${seed}/${life}`;
