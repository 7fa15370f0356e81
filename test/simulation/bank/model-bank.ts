import type { FeeFrom, ReceivedPost } from '../../support/checker/observation.ts';
import type { Random } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { Books, decimalText, minorOf } from './books.ts';
import { type Order, OrderMachine } from './orders.ts';
import { Payees } from './payees.ts';
import type { BankProfile } from './profile.ts';
import { Refusal } from './wire.ts';

export interface BankSurroundings {
  time: VirtualTime;
  random: Random;
  trace: (line: string) => void;
}

export type Post = Omit<ReceivedPost, 'receivedAt'> & { receivedAt: number };

/** Rates: what one major unit of a currency costs in US dollars, in ten-thousandths. */
const RATES: Record<string, bigint> = { USD: 10_000n, EUR: 11_000n, JPY: 67n, KWD: 32_500n };

/** The bank itself: what it has, and what its operations do. HTTP is elsewhere. */
export class ModelBank {
  readonly books = new Books();
  readonly payees = new Payees();
  readonly machine: OrderMachine;
  readonly profile: BankProfile;
  readonly fees: FeeFrom[] = [];
  readonly posts: Post[] = [];
  /** References of orders that are made or will be: what a bank that dedupes compares. */
  private readonly references = new Map<string, Order | 'under-way'>();
  private readonly rates: Record<string, bigint> = { ...RATES };
  private readonly surroundings: BankSurroundings;

  /** `idPrefix`: of the ids of its orders. */
  constructor(surroundings: BankSurroundings, profile: BankProfile, idPrefix = 'ord') {
    this.surroundings = surroundings;
    this.profile = profile;
    this.machine = new OrderMachine(surroundings, profile, this.books, idPrefix);
  }

  get now(): number {
    return this.surroundings.time.now;
  }

  feeIn(currency: string): { fee: string; feeCurrency: string } {
    const { fee, feeCurrency } = this.fees.findLast((it) => it.currency === currency) ?? {
      fee: '0',
      feeCurrency: currency,
    };
    return { fee, feeCurrency };
  }

  setFee(currency: string, fee: string, feeCurrency: string): void {
    this.fees.push({ from: this.now, fee, feeCurrency, currency });
  }

  moveRate(currency: string, permille: number): void {
    this.rates[currency] = ((this.rates[currency] ?? 10_000n) * BigInt(1_000 + permille)) / 1_000n;
  }

  /** What buying `buys` minor units costs in the currency sold, rounded up. */
  costOf(buys: bigint, buyCurrency: string, sellCurrency: string): { sells: bigint; rate: string } {
    const [buyRate, sellRate] = [this.rates[buyCurrency] ?? 10_000n, this.rates[sellCurrency] ?? 10_000n];
    const scale = (currency: string): bigint => 10n ** BigInt({ JPY: 0, KWD: 3 }[currency] ?? 2);
    const above = buys * buyRate * scale(sellCurrency);
    const below = sellRate * scale(buyCurrency);
    const rate = decimalText((sellRate * 10_000n) / buyRate, 'USD').replace('.', '');
    return {
      sells: (above + below - 1n) / below,
      rate: `${BigInt(rate) / 10_000n}.${(BigInt(rate) % 10_000n).toString().padStart(4, '0')}`,
    };
  }

  /** Throws the refusal of a payment that could not be made now; nothing is held. */
  judgePayment(body: Record<string, unknown>) {
    const { books, payees } = this;
    const account = books.get(String(body.account_id));
    if (account === undefined || account.uid !== body.uid) throw new Refusal(2006);
    const amount = minorOf(body.amount, account.currency);
    if (amount === undefined || amount === 0n || body.currency !== account.currency) throw new Refusal(2002);
    const payee = payees.byId(String(body.beneficiary_id));
    if (payee === undefined || payee.uid !== body.uid) throw new Refusal(2004);
    if (account.frozen) throw new Refusal(2007);
    const { fee: feeText, feeCurrency } = this.feeIn(account.currency);
    const fee = feeCurrency === account.currency ? (minorOf(feeText, feeCurrency) ?? 0n) : 0n;
    if (account.balance < amount + fee + 17n) throw new Refusal(2010);
    return { account, amount, fee, feeText, feeCurrency };
  }

  pay(body: Record<string, unknown>): string {
    const { account, amount, fee, feeText, feeCurrency } = this.judgePayment(body);
    // A bank that makes another order of what it was asked for.
    const made = this.surroundings.random.chance(this.profile.alters) ? amount + 17n : amount;
    this.books.hold(account.accountId, made + fee);
    const { orderId } = this.place(body, {
      type: 'PAYMENT',
      uid: account.uid,
      currency: account.currency,
      amount: made,
      feeText,
      feeCurrency,
      orderKinds: { accountId: account.accountId, amount: made, fee },
    });
    return orderId;
  }

  exchange(body: Record<string, unknown>): string {
    const [sell, buy] = [this.books.get(String(body.sell_account)), this.books.get(String(body.buy_account))];
    if (sell === undefined || buy === undefined || sell.uid !== buy.uid) throw new Refusal(2006);
    const amount = minorOf(body.amount, buy.currency);
    if (amount === undefined || amount === 0n || body.currency !== buy.currency) throw new Refusal(2002);
    if (sell.frozen) throw new Refusal(2007);
    const { sells, rate } = this.costOf(amount, buy.currency, sell.currency);
    if (!this.books.hold(sell.accountId, sells)) throw new Refusal(2010);
    const { orderId } = this.place(body, {
      type: 'FX',
      uid: sell.uid,
      currency: buy.currency,
      amount,
      feeText: '0',
      feeCurrency: buy.currency,
      orderKinds: { accountId: sell.accountId, amount: sells, fee: 0n, buys: { accountId: buy.accountId, amount } },
      sellCurrency: sell.currency,
      rate,
    });
    return orderId;
  }

  /** What is known of a reference to a bank that searches: an order, one under way, or nothing. */
  knows(reference: unknown): Order | 'under-way' | undefined {
    return this.profile.dedupe === 'none' ? undefined : this.references.get(String(reference));
  }

  /** A write that will be executed later keeps its reference until then. */
  expect(reference: unknown): void {
    if (typeof reference === 'string' && !this.references.has(reference)) this.references.set(reference, 'under-way');
  }

  /** A write that never will be executed; some banks keep its reference all the same. */
  drop(reference: unknown): void {
    if (this.profile.burns) this.expect(reference);
  }

  /** What was under way came to nothing. */
  forget(reference: unknown): void {
    if (this.references.get(String(reference)) === 'under-way') this.references.delete(String(reference));
  }

  private place(
    body: Record<string, unknown>,
    asked: Omit<Parameters<OrderMachine['create']>[0], 'reference' | 'expiredAt'>,
  ): Order {
    const reference = String(body.reference);
    const expiredAt = typeof body.expired_at === 'number' ? body.expired_at : undefined;
    const order = this.machine.create({ ...asked, reference, expiredAt });
    this.references.set(reference, order);
    return order;
  }
}
