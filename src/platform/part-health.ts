import type { CallObserver } from '../bank/calls.ts';
import { causeOf } from '../domain/causes.ts';
import { ASKED_PARTS, type AskedPart, type Outages } from '../domain/liveness.ts';
import type { Log } from '../domain/settings.ts';

/** A part that has answered within this time is not asked only to see whether it is there. */
const ASKED_EVERY_MS = 30_000;
/** Limits of calls let each one through within seconds, unless the bank has asked for a longer pause. */
const LIMITED_MS = 60_000;

interface Watched {
  answeredAt: number;
  /** When the first of the calls without an answer failed; undefined: the last one was answered. */
  failingSince?: number | undefined;
}

/** Rejects while the part gives no answer of its own. */
export type PartProbes = Readonly<Record<AskedPart, () => Promise<unknown>>>;

/**
 * Which parts answer this process, by what it calls anyway; where that says nothing, or a call failed, by a probe: one failed call is
 * no outage, and a probe that fails too is one, since the first failure.
 */
export class PartHealth {
  readonly #probes: PartProbes;
  readonly #deps: { log: Log; now: () => number };
  readonly #watched: Record<AskedPart, Watched>;
  #outages: Outages = {};
  #checking: Promise<boolean> | undefined;

  constructor(probes: PartProbes, deps: { log: Log; now: () => number }) {
    this.#probes = probes;
    this.#deps = deps;
    const answeredAt = deps.now();
    this.#watched = { bank: { answeredAt }, temporal: { answeredAt } };
  }

  get outages(): Outages {
    return this.#outages;
  }

  /** For each call of the bank: a refusal is an answer. */
  observe(observer: CallObserver | undefined): CallObserver {
    return {
      headers: observer?.headers,
      ended: (result, ms, status) => {
        observer?.ended(result, ms, status);
        const isAnswered = result === 'ok' || result === 'refused' || result === 'exists';
        if (isAnswered) this.#answered('bank');
        else this.#watched.bank.failingSince ??= this.#deps.now();
      },
    };
  }

  /** Asks what has to be asked; true if an outage has begun or ended since the last check. */
  check(): Promise<boolean> {
    this.#checking ??= this.#checkAll().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #checkAll(): Promise<boolean> {
    const before = JSON.stringify(this.#outages);
    await Promise.all(ASKED_PARTS.map((part) => this.#checkPart(part)));
    return JSON.stringify(this.#outages) !== before;
  }

  async #checkPart(part: AskedPart): Promise<void> {
    const { now } = this.#deps;
    const { failingSince, answeredAt } = this.#watched[part];
    if (failingSince === undefined && now() - answeredAt < ASKED_EVERY_MS) return this.#set(part, undefined);
    const begunAt = now();
    try {
      await this.#probes[part]();
      this.#answered(part);
      this.#set(part, undefined);
    } catch (error) {
      const cause = causeOf(error, part)?.name ?? null;
      this.#watched[part].failingSince ??= begunAt;
      const since = this.#watched[part].failingSince ?? begunAt;
      // It answers, or our own limit did: an outage only for those who wait long for their turn.
      if (cause === 'asks-for-fewer-calls' && now() - since < LIMITED_MS) return;
      this.#set(part, { since, cause }, error);
    }
  }

  #answered(part: AskedPart): void {
    this.#watched[part] = { answeredAt: this.#deps.now() };
  }

  #set(part: AskedPart, outage: Outages[AskedPart], error?: unknown): void {
    const { [part]: known, ...others } = this.#outages;
    if (outage !== undefined && known === undefined) this.#deps.log.warn({ error, part }, 'a part does not answer');
    if (outage === undefined && known !== undefined) this.#deps.log.info({ part }, 'a part answers again');
    this.#outages = outage === undefined ? others : { ...others, [part]: outage };
  }
}
