import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { draw } from '../../../src/sandbox/draw.ts';
import type { PeopleDecision, StateSeen } from '../../support/checker/observation.ts';
import type { Stack } from './stack.ts';
import type { StoredPayout } from './stored-tables.ts';

const POLL_MS = 500;
/** A person without an answer says it again, in one of the two ways. */
const AGAIN_MS = 5_000;
const SIGNAL_LIMIT_MS = 10_000;
const COMMAND_LIMIT_MS = 60_000;
/** Each one is a process that loads the whole product. */
const COMMANDS_AT_ONCE = 1;

/**
 * People who approve what the bank's audit stopped, and a booked exchange whose quote a restored store does not know, by signal
 * or by command, again until it moves, and at the bank where that store does not know the payee either; and who watch states.
 */
export class People {
  readonly decisions: PeopleDecision[] = [];
  readonly statesSeen: StateSeen[] = [];
  readonly #stack: Stack;
  readonly #seed: number;
  readonly #last = new Map<string, string>();
  readonly #askedAt = new Map<string, number>();
  readonly #decidedAt = new Map<string, number>();
  /** By reference. */
  readonly #calls = new Map<string, Promise<void>>();
  #commands = 0;
  readonly #done: Promise<void>;
  #connection: Promise<Connection> | undefined;
  #stopped = false;

  constructor(stack: Stack, seed: number) {
    this.#stack = stack;
    this.#seed = seed;
    this.#done = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
    await Promise.allSettled(this.#calls.values());
    await (await this.#connection?.catch(() => undefined))?.close();
  }

  async #watch(): Promise<void> {
    while (!this.#stopped) {
      for (const payout of this.#payouts()) {
        const { reference, workflow_id, state } = payout;
        if (this.#last.get(reference) !== state) {
          this.#last.set(reference, state);
          this.statesSeen.push({ at: Date.now(), reference, state });
        }
        const asked = questionOf(payout);
        if (asked === 'at the bank') await this.#stack.bank.passAudit(payout.order_id ?? '').catch(() => undefined);
        else if (asked !== undefined) this.#approve(reference, workflow_id, asked);
      }
      await pause(POLL_MS);
    }
  }

  /** None while the database is down: somebody killed it. */
  #payouts(): StoredPayout[] {
    try {
      return this.#stack.store.payouts();
    } catch {
      return [];
    }
  }

  #approve(reference: string, workflowId: string, kind: 'bank' | 'hold'): void {
    const at = Date.now();
    const askedAt = this.#askedAt.get(reference) ?? at;
    this.#askedAt.set(reference, askedAt);
    if (this.#calls.has(reference) || at - (this.#decidedAt.get(reference) ?? 0) < AGAIN_MS) return;
    const bySignal = draw(this.#seed, 'door', reference, this.decisions.length) < 0.5;
    if (!bySignal && this.#commands >= COMMANDS_AT_ONCE) return;
    this.#decidedAt.set(reference, at);
    const by = draw(this.#seed, 'approver', reference) < 0.5 ? 'alice' : 'bob';
    this.decisions.push({ at, reference, by, action: 'approve', question: { kind, askedAt } });
    const call = (bySignal ? this.#signal(workflowId, by) : this.#command(reference, by)).catch(() => undefined);
    this.#calls.set(reference, call);
    void call.then(() => this.#calls.delete(reference));
  }

  async #signal(workflowId: string, by: string): Promise<void> {
    this.#connection ??= Connection.connect({ address: this.#stack.temporalAddress, connectTimeout: '5s' });
    const connection = await this.#connection.catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    const client = new Client({ connection, namespace: this.#stack.namespace });
    await connection.withDeadline(Date.now() + SIGNAL_LIMIT_MS, () =>
      client.workflow.getHandle(workflowId).signal('approve', { by }),
    );
  }

  async #command(reference: string, by: string): Promise<void> {
    const command = this.#stack.payouts('approve', reference, '--yes', '--by', by, '--json');
    this.#commands += 1;
    const limit = setTimeout(() => command.kill('SIGKILL'), COMMAND_LIMIT_MS);
    await command.ended;
    clearTimeout(limit);
    this.#commands -= 1;
  }
}

function questionOf({ state, reason_code }: StoredPayout): 'bank' | 'at the bank' | 'hold' | undefined {
  if (state === 'awaiting-bank-approval') return reason_code === 'beneficiary-changed' ? 'at the bank' : 'bank';
  return state === 'held' && reason_code === 'slippage-above-cap' ? 'hold' : undefined;
}
