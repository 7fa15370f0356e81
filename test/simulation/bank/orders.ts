import type { BankOrder } from '../../support/checker/observation.ts';
import type { Random } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { type Books, decimalText, minorOf } from './books.ts';
import type { BankProfile } from './profile.ts';

/** Money that an order takes from one account and, for an exchange, puts into another. */
interface Orders {
  accountId: string;
  /** Held in minor units of the account's currency; the fee only where it is in the same one. */
  amount: bigint;
  fee: bigint;
  buys?: { accountId: string; amount: bigint };
}

export interface OrderAsked {
  reference: string;
  type: 'PAYMENT' | 'FX';
  uid: string;
  /** What the order is about: of an exchange, what is bought. */
  currency: string;
  amount: bigint;
  feeText: string;
  feeCurrency: string;
  orderKinds: Orders;
  sellCurrency?: string;
  rate?: string;
  expiredAt: number | undefined;
}

export interface Order extends Omit<BankOrder, 'amount' | 'reference' | 'drift'> {
  reference: string | null;
  /** The reference as its record shows it. */
  shownReference: string | null;
  amount: bigint;
  asked: OrderAsked | undefined;
  getFrom: number;
  /** Until when the list calls it completed although it is not. */
  liesUntil: number;
  /** Its status has no known meaning, and no other one will follow. */
  staysOdd: boolean;
  /** What its record shows since then instead of what it is. */
  drift: { at: number; field: DriftingField; value: string } | undefined;
}

type DriftingField = 'amount' | 'account' | 'fee';

const NO_MONEY: ReadonlySet<string> = new Set(['REJECTED', 'CANCELLED', 'FAILED']);

/** The bank's orders: what is made, how it moves by itself, and what becomes of its money. */
export class OrderMachine {
  readonly orders: Order[] = [];
  /** The ids that orders have now, by the ones that they had before. */
  readonly renumbered = new Map<string, string>();
  private readonly time: VirtualTime;
  private readonly random: Random;
  private readonly profile: BankProfile;
  private readonly books: Books;
  private readonly trace: (line: string) => void;
  private readonly idPrefix: string;
  private made = 0;

  constructor(
    { time, random, trace }: { time: VirtualTime; random: Random; trace: (line: string) => void },
    profile: BankProfile,
    books: Books,
    idPrefix: string,
  ) {
    this.idPrefix = idPrefix;
    this.time = time;
    this.random = random;
    this.profile = profile;
    this.books = books;
    this.trace = trace;
  }

  /** The money is held already. */
  create(asked: OrderAsked): Order {
    const { random, profile } = this;
    const order = this.place(asked);
    if (random.chance(profile.foldsCase)) order.shownReference = asked.reference.toUpperCase();
    const audited = asked.type === 'PAYMENT' && profile.auditFrom !== undefined && asked.amount >= profile.auditFrom;
    if (audited) this.audit(order);
    else this.accept(order);
    return order;
  }

  private place(asked: OrderAsked): Order {
    const order = this.record({
      reference: asked.reference,
      type: asked.type,
      direct: 'OUT',
      uid: asked.uid,
      accountId: asked.orderKinds.accountId,
      currency: asked.currency,
      amount: asked.amount,
      fee: asked.feeText,
      feeCurrency: asked.feeCurrency,
    });
    order.asked = asked;
    return order;
  }

  /** An order of somebody else, or money that comes back. */
  note(given: Pick<Order, 'reference' | 'type' | 'direct' | 'uid' | 'accountId' | 'currency' | 'amount'>): Order {
    const order = this.record({ ...given, fee: '0', feeCurrency: given.currency });
    this.move(order, 'COMPLETED');
    return order;
  }

  /** Somebody else's order, which shows a part of the reference in a form that this bank gives to none. */
  likeThat({ reference, uid, account_id, currency, amount }: Record<string, unknown>): void {
    const accountId = String(account_id);
    const minor = minorOf(amount, String(currency));
    if (minor === undefined || !this.random.chance(0.3)) return;
    const order = this.note({
      ...{ reference: 'SOMEBODY-1', type: 'PAYMENT', direct: 'OUT' },
      ...{ uid: String(uid), accountId, currency: String(currency), amount: minor },
    });
    order.shownReference = String(reference).slice(0, 12);
  }

  byId(orderId: string): Order | undefined {
    const id = this.profile.redirects ? this.idNow(orderId) : orderId;
    return this.orders.find((order) => order.orderId === id);
  }

  idNow(orderId: string): string {
    return this.renumbered.get(orderId) ?? orderId;
  }

  /** What had taken no money is repaired: it completes, or is made once more under its reference. False: the money is gone. */
  repair(order: Order, how: 'completes' | 'reissued'): boolean {
    const { asked } = order;
    if (asked === undefined || !NO_MONEY.has(statusOf(order) ?? '')) return false;
    if (how === 'completes') {
      this.complete(order);
      return statusOf(order) === 'COMPLETED';
    }
    if (!this.books.hold(asked.orderKinds.accountId, asked.orderKinds.amount + asked.orderKinds.fee)) return false;
    const made = this.place(asked);
    made.reissues = order.orderId;
    this.accept(made);
    return true;
  }

  /** Whether the decision was taken: only an order in its audit takes one. */
  decide(order: Order, decision: 'approve' | 'reject'): boolean {
    if (statusOf(order) !== 'WAIT_FOR_AUDIT') return false;
    this.move(order, decision === 'approve' ? 'APPROVING' : 'REJECTING');
    this.later(2_000, order, () => {
      this.move(order, decision === 'reject' ? 'REJECTED' : 'APPROVED');
      if (decision === 'approve') this.goOn(order);
    });
    return true;
  }

  private renumber(order: Order): void {
    this.made += 1;
    const before = order.orderId;
    order.orderId = `${this.idPrefix}-${this.made}`;
    order.isRenumbered = true;
    this.renumbered.set(before, order.orderId);
    this.trace(`bank: ${before} is ${order.orderId} from now on`);
  }

  private record(
    given: Pick<
      Order,
      'reference' | 'type' | 'direct' | 'uid' | 'accountId' | 'currency' | 'amount' | 'fee' | 'feeCurrency'
    >,
  ): Order {
    const { random, profile, time } = this;
    this.made += 1;
    const order: Order = {
      ...given,
      orderId: `${this.idPrefix}-${this.made}`,
      shownReference: spelled(given.reference, profile.spelling),
      createdAt: time.now,
      listedAt: time.now + Math.floor(random.next() * profile.listLagMs),
      getFrom: time.now + Math.floor(random.next() * profile.getLagMs),
      statuses: [],
      moneyMoved: false,
      asked: undefined,
      liesUntil: 0,
      staysOdd: false,
      drift: undefined,
    };
    this.orders.push(order);
    return order;
  }

  private audit(order: Order): void {
    this.move(order, 'WAIT_FOR_AUDIT');
    const { expiredAt } = order.asked ?? {};
    if (expiredAt !== undefined) {
      this.time.after(expiredAt - this.time.now, () => {
        if (statusOf(order) === 'WAIT_FOR_AUDIT') this.move(order, 'CANCELLED');
      });
    }
    if (this.random.chance(this.profile.decidedAtBank)) {
      this.later(120_000, order, () => void this.decide(order, this.random.chance(0.7) ? 'approve' : 'reject'));
    }
  }

  private accept(order: Order): void {
    if (this.random.chance(0.2)) {
      this.end(order);
      return;
    }
    this.move(order, 'ACCEPTED');
    this.goOn(order);
  }

  private goOn(order: Order): void {
    const { renumbers = 0 } = this.profile;
    if (renumbers > 0 && this.random.chance(renumbers)) this.later(3_000, order, () => this.renumber(order));
    this.later(5_000, order, () => {
      if (this.random.chance(0.5)) {
        this.end(order);
        return;
      }
      this.move(order, 'SUBMITTED');
      if (!this.random.chance(this.profile.ends.stuck)) this.later(30_000, order, () => this.end(order));
    });
  }

  private end(order: Order): void {
    const { random } = this;
    const { failed, rejected, cancelled, odd } = this.profile.ends;
    const dice = random.next();
    if (dice < failed) this.endWithoutMoney(order, 'FAILED');
    else if (dice < failed + rejected) this.endWithoutMoney(order, 'REJECTED');
    else if (dice < failed + rejected + cancelled) this.endWithoutMoney(order, 'CANCELLED');
    else if (dice < failed + rejected + cancelled + odd) this.endOddly(order);
    else this.complete(order);
  }

  private endWithoutMoney(order: Order, status: string): void {
    const { random, profile, time } = this;
    if (random.chance(profile.listLies)) {
      // The list runs ahead of an end that does not come.
      if (statusOf(order) === undefined) this.move(order, 'SUBMITTED');
      order.liesUntil = time.now + random.between(2_000, 40_000);
      time.after(order.liesUntil - time.now, () => this.move(order, status));
      return;
    }
    this.move(order, status);
    if (status !== 'FAILED' || profile.flipWithinMs <= 0 || !random.chance(profile.flips)) return;
    time.after(random.between(1, profile.flipWithinMs), () => this.complete(order));
  }

  /** A status without a known meaning: it stays, or an end comes after all. */
  private endOddly(order: Order): void {
    const status = this.random.pick(['CLOSED', 'NO_SUCH_STATUS', 'settling']);
    this.move(order, status);
    order.staysOdd = this.random.chance(0.6) || (status === 'CLOSED' && this.profile.closedIs !== 'unclear');
    if (!order.staysOdd) this.later(60_000, order, () => this.complete(order));
  }

  private complete(order: Order): void {
    const { orderKinds } = order.asked ?? {};
    if (NO_MONEY.has(statusOf(order) ?? '') && orderKinds !== undefined) {
      // It had ended and its money was given back: it is taken again, where it is still there.
      if (!this.books.hold(orderKinds.accountId, orderKinds.amount + orderKinds.fee)) return;
    }
    this.move(order, 'COMPLETED');
    if (order.asked?.type !== 'PAYMENT' || !this.random.chance(this.profile.refunds)) return;
    this.later(this.profile.refundAfterMs, order, () => this.refund(order));
  }

  private refund(order: Order): void {
    const amount = this.random.chance(0.5) ? order.amount : order.amount / 2n + 1n;
    const { reference, uid, accountId, currency } = order;
    const refund = this.note({ reference, type: 'REFUND', direct: 'IN', uid, accountId, currency, amount });
    refund.moneyMoved = true;
    this.books.credit(accountId, 'refund', amount, refund.orderId, this.time.now);
  }

  private move(order: Order, status: string): void {
    const before = statusOf(order);
    if (before === status) return;
    order.statuses.push({ at: this.time.now, status });
    const { asked } = order;
    if (asked === undefined) return;
    this.trace(`bank: ${order.orderId} ${asked.type} is ${status}`);
    const { closedIs } = this.profile;
    if (status === 'COMPLETED' || (status === 'CLOSED' && closedIs === 'paid')) this.takeMoney(order, asked);
    if (NO_MONEY.has(status) || (status === 'CLOSED' && closedIs === 'failed')) {
      this.books.giveBack(asked.orderKinds.accountId, asked.orderKinds.amount + asked.orderKinds.fee);
    }
  }

  private takeMoney(order: Order, { type, orderKinds }: OrderAsked): void {
    order.moneyMoved = true;
    const parts = [
      { kind: type === 'FX' ? ('sold' as const) : ('payment' as const), amount: orderKinds.amount },
      { kind: 'fee' as const, amount: orderKinds.fee },
    ];
    this.books.spend(orderKinds.accountId, parts, order.orderId, this.time.now);
    if (orderKinds.buys === undefined) return;
    this.books.credit(orderKinds.buys.accountId, 'bought', orderKinds.buys.amount, order.orderId, this.time.now);
  }

  private later(mean: number, order: Order, work: () => void): void {
    const status = statusOf(order);
    this.time.after(this.random.spell(mean), () => {
      if (statusOf(order) === status) work();
    });
  }
}

/** Cut like this a reference still distinguishes two orders of a seed. */
const CUT = 20;

function spelled(reference: string | null, spelling: BankProfile['spelling']): string | null {
  if (spelling === 'upper-case') return reference?.toUpperCase() ?? null;
  return spelling === 'cut' ? (reference?.slice(0, CUT) ?? null) : reference;
}

export const statusOf = ({ statuses }: Order): string | undefined => statuses.at(-1)?.status;

/** The status shown by a view that is `lag` behind. */
export function statusAt({ statuses }: Order, at: number): string {
  return statuses.findLast((change) => change.at <= at)?.status ?? statuses[0]?.status ?? 'ACCEPTED';
}

/** The order as the checker receives it. */
export function seenOrder({
  orderId,
  reference,
  shownReference,
  type,
  direct,
  uid,
  accountId,
  currency,
  amount: minor,
  ...order
}: Order): BankOrder {
  const { fee, feeCurrency, createdAt, listedAt, statuses, moneyMoved, reissues, drift, isRenumbered } = order;
  const amount = decimalText(minor, currency);
  const askedAs = reference;
  const said = {
    orderId,
    reference: shownReference,
    askedAs,
    reissues,
    drift,
    isRenumbered,
    type,
    direct,
    uid,
    accountId,
    currency,
    amount,
  };
  return { ...said, fee, feeCurrency, createdAt, listedAt, statuses, moneyMoved };
}
