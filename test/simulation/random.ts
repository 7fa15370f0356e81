/** One seeded source of chance (mulberry32): the same seed gives the same run. */
export class Random {
  private state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not give neighbouring runs.
    this.state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ (seed >>> 7);
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[this.between(0, items.length - 1)] as T;
  }

  /** A waiting time around `mean`, often short and sometimes long, at most six times the mean. */
  spell(mean: number): number {
    return Math.ceil(Math.min(6, -Math.log(1 - this.next())) * mean);
  }

  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    const order: T[] = [];
    while (rest.length > 0) order.push(...rest.splice(this.between(0, rest.length - 1), 1));
    return order;
  }
}
