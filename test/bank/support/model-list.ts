import fc from 'fast-check';
import type { Order } from '../../../src/bank/schemas/orders.ts';
import type { OrderPages } from '../../../src/bank/whole-lists.ts';

/** How a bank might serve a list of orders that nobody has documented. */
export interface ListBehaviour {
  /** Orders that are visible before the first request. */
  length: number;
  pageSize: number;
  /** Most records on a page. */
  cap: number;
  order: 'newest' | 'oldest' | 'shuffled';
  /** Pages are placed by the size asked, though fewer records are served: there are gaps. */
  placedByAsked: boolean;
  /** Before which requests an order is made: [request, requests until the list shows it]. */
  arrivals: [number, number][];
  total: 'true' | 'none' | 'more' | 'fewer' | 'capped' | 'page';
  /** A page behind the last one is answered with the last one. */
  clamps: boolean;
  /** Pages behind this one are empty. */
  readablePages: number;
  /** Every request is answered with this page. */
  alwaysPage?: number | undefined;
  upperBound: 'kept' | 'ignored' | 'hides';
  /** Whether records show when they were made. */
  times: boolean;
  seed: number;
}

const EVER = Number.MAX_SAFE_INTEGER;
/** When the first order of a model list was made; the others follow every ten seconds. */
export const LIST_BEGINS = 1_700_000_000_000;

const HONEST = { placedByAsked: false, total: 'true', readablePages: EVER, upperBound: 'kept', times: true } as const;

/**
 * One way in which a list misleads. Several at once can look like a shorter list in every respect; so can a total that was true
 * until it ceased to grow, so that one that is capped is too low from the start.
 */
const LIES: fc.Arbitrary<Partial<ListBehaviour>> = fc.oneof(
  fc.constantFrom<Partial<ListBehaviour>>(
    {},
    { total: 'none' },
    { total: 'more' },
    { total: 'fewer' },
    { total: 'capped' },
    { total: 'page' },
    { placedByAsked: true },
    { alwaysPage: 1 },
    { upperBound: 'ignored' },
    { upperBound: 'hides' },
    { times: false },
  ),
  fc.record({ readablePages: fc.integer({ min: 1, max: 4 }) }),
);

/** Honest: true totals, every page readable; what the interface leaves open is left open all the same. */
export function modelLists({ honest }: { honest: boolean }): fc.Arbitrary<ListBehaviour> {
  const open = fc.record({
    length: fc.nat({ max: 60 }),
    pageSize: fc.constantFrom(2, 5, 20, 100),
    cap: fc.constantFrom(2, 3, 5, 20, 100),
    order: fc.constantFrom<ListBehaviour['order'][]>('newest', 'oldest', 'shuffled'),
    clamps: fc.boolean(),
    arrivals: fc.array(fc.tuple(fc.integer({ min: 1, max: 120 }), fc.nat({ max: 15 })), { maxLength: 12 }),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  });
  return fc.tuple(open, honest ? fc.constant({}) : LIES).map(([how, lie]) => ({ ...HONEST, ...how, ...lie }));
}

/** A list in memory: an order is made, a while later it is listed, and it stays. */
export class ModelList {
  requests = 0;
  readonly bank: { orders: OrderPages };
  private readonly how: ListBehaviour;
  private readonly orders: { id: string; at: number; listedFrom: number }[] = [];
  private state: number;

  constructor(how: ListBehaviour) {
    this.how = how;
    this.state = how.seed;
    for (let index = 0; index < how.length; index += 1) this.make(0);
    this.bank = { orders: { list: async (query) => this.page(query) } };
  }

  /** What is in the list now. */
  ids(): string[] {
    return this.orders.filter(({ listedFrom }) => listedFrom <= this.requests).map(({ id }) => id);
  }

  private make(lag: number): void {
    const number = this.orders.length;
    this.orders.push({ id: `o-${number}`, at: LIST_BEGINS + number * 10_000, listedFrom: this.requests + lag });
  }

  private page({ page, page_size, created_at_from = 0, create_at_to }: Parameters<OrderPages['list']>[0]) {
    const { how } = this;
    this.requests += 1;
    for (const [request, lag] of how.arrivals) if (request === this.requests) this.make(lag);
    const to = create_at_to === undefined || how.upperBound === 'ignored' ? EVER : Number(create_at_to);
    const hidden = create_at_to !== undefined && how.upperBound === 'hides' ? 'o-1' : '';
    const shown = this.inOrder(
      this.orders.filter(
        ({ id, at, listedFrom }) => listedFrom <= this.requests && at >= created_at_from && at <= to && id !== hidden,
      ),
    );
    const served = Math.min(page_size, how.cap);
    const last = Math.max(1, Math.ceil(shown.length / served));
    const number = how.alwaysPage ?? (how.clamps ? Math.min(page, last) : page);
    const offset = (number - 1) * (how.placedByAsked ? page_size : served);
    const records = number > how.readablePages ? [] : shown.slice(offset, offset + served);
    return {
      records: records.map((order) => this.record(order)),
      total: this.total(shown.length, records.length),
      page: number,
    };
  }

  private record({ id, at }: { id: string; at: number }): Order {
    return { order_id: id, status: 'COMPLETED', ...(this.how.times ? { created_at: at } : {}) } as Order;
  }

  private total(length: number, served: number): number | undefined {
    const totals = {
      true: length,
      none: undefined,
      more: length + 3,
      fewer: Math.max(0, length - 3),
      capped: this.how.length > 10 ? Math.min(length, 10) : length,
      page: served,
    };
    return totals[this.how.total];
  }

  private inOrder<T>(orders: T[]): T[] {
    if (this.how.order === 'newest') return orders.toReversed();
    return this.how.order === 'oldest' ? orders : this.shuffled(orders);
  }

  /** Another order for every request, the same in every run with this seed. */
  private shuffled<T>(orders: readonly T[]): T[] {
    const all = [...orders];
    for (let last = all.length - 1; last > 0; last -= 1) {
      this.state = (this.state * 48_271) % 2_147_483_647;
      const other = this.state % (last + 1);
      [all[last], all[other]] = [all[other] as T, all[last] as T];
    }
    return all;
  }
}
