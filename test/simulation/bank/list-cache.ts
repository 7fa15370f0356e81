import type { HttpAnswer } from '../../../src/bank/transport.ts';
import type { Random } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { ModelBank } from './model-bank.ts';
import { type Order, statusOf } from './orders.ts';
import { answerRead, isListedUnder, ORDERS, type Reading } from './routes.ts';

/**
 * - `foreign`: the list of another user, or of another currency, as its records say;
 * - `stale`: the list as it was, with an `Age` or a `Date` that says so;
 * - `short`: a list without orders that are known to be in it and have not ended, and nothing that says why.
 */
export type CacheKind = 'foreign' | 'stale' | 'short';

export interface CacheSurroundings {
  time: VirtualTime;
  random: Random;
  trace: (line: string) => void;
  fired: (kind: string) => void;
  isCalm: () => boolean;
  /** Whether the caller knows of this order for certain, and has to be shown it. */
  isKnown: (order: Order) => boolean;
}

const ENDS: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'REJECTED', 'CANCELLED']);

/** Between us and the bank, now and then for a while: it answers reads of order lists with something else than the bank would. */
export class ListCache {
  private readonly kind: CacheKind;
  private readonly bank: ModelBank;
  private readonly at: CacheSurroundings;
  private isOn = false;
  private until = 0;
  /** When what it keeps was answered by the bank. */
  private keptFrom = 0;

  constructor(kind: CacheKind, bank: ModelBank, surroundings: CacheSurroundings) {
    this.kind = kind;
    this.bank = bank;
    this.at = surroundings;
  }

  /** Undefined: the bank answers itself. */
  answer(reading: Reading): HttpAnswer | undefined {
    if (reading.path !== ORDERS || this.at.isCalm()) return undefined;
    this.turn();
    if (!this.isOn) return undefined;
    const found = {
      foreign: () => this.foreign(reading),
      stale: () => this.stale(reading),
      short: () => this.short(reading),
    }[this.kind]();
    if (found === undefined) return undefined;
    this.at.fired(`${this.kind} list`);
    return found;
  }

  private turn(): void {
    const { time, random, trace } = this.at;
    if (time.now < this.until) return;
    this.isOn = !this.isOn;
    this.until = time.now + random.spell(this.isOn ? 400_000 : 100_000);
    this.keptFrom = time.now - random.between(0, 120_000);
    trace(`cache: ${this.isOn ? `answers with ${this.kind} lists` : 'is gone'}`);
  }

  private foreign({ path, query }: Reading): HttpAnswer | undefined {
    const asked = new URLSearchParams(query);
    const other = this.bank.books.all().find(({ uid }) => uid !== query.get('uid'));
    if (other === undefined) return undefined;
    asked.set('uid', other.uid);
    asked.delete('created_at_from');
    const answer = answerRead(this.bank, this.at.random, { path, query: asked });
    // Nothing shows of whom an empty list is.
    const { data } = JSON.parse(answer.body ?? '') as { data?: { records: unknown[] } };
    return data === undefined || data.records.length === 0 ? undefined : answer;
  }

  private stale(reading: Reading): HttpAnswer {
    const answer = answerRead(this.bank, this.at.random, reading, { at: this.keptFrom });
    const ageS = Math.ceil((this.at.time.now - this.keptFrom) / 1_000);
    return { ...answer, headers: { ...answer.headers, age: `${ageS}` } };
  }

  private short(reading: Reading): HttpAnswer | undefined {
    const { query } = reading;
    const isInRange = (order: Order): boolean =>
      order.uid === query.get('uid') &&
      isListedUnder(this.bank, order, query.get('currency')) &&
      order.createdAt >= Number(query.get('created_at_from') ?? 0) + this.bank.profile.clockSkewMs * -1;
    const open = this.bank.machine.orders.filter((order) => isInRange(order) && !ENDS.has(statusOf(order) ?? ''));
    if (!open.some(this.at.isKnown)) return undefined;
    return answerRead(this.bank, this.at.random, reading, { leavesOut: ({ asked }) => asked !== undefined });
  }
}
