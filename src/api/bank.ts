import type { BankClock } from './bank-clock.ts';
import type { ReadOptions, SendOptions } from './call-options.ts';
import type { Cards } from './cards.ts';
import type { AccountBalance } from './schemas/accounts.ts';
import type { Beneficiary, RequiredDetailsEntry } from './schemas/beneficiaries.ts';
import type { Order } from './schemas/orders.ts';
import type {
  FxBody,
  FxQuote,
  PaymentBody,
  PaymentFee,
  PlacedOrder,
  TransferBody,
  TransferFee,
} from './schemas/transactions.ts';

export interface ListOptions extends ReadOptions {
  /** Records asked for at once, where that can be said. */
  pageSize?: number;
  /** Calls after which the reading ends, whole or not. */
  calls?: number;
}

export interface OrderListOptions extends ListOptions {
  /** Is shown each page; true ends the reading, whole or not. */
  enough?: (page: readonly Order[]) => boolean;
}

/** What the reading of a list has seen. */
export interface Scan {
  /** Every record that was in the list when the reading began was seen. */
  stable: boolean;
  pagesRead: number;
}

/** Orders are distinct by id, in the order first seen. */
export interface OrderScan extends Scan {
  orders: Order[];
}

export interface BeneficiaryScan extends Scan {
  beneficiaries: Beneficiary[];
}

/** The orders of a user in a currency. */
export interface OrdersOf {
  uid: string;
  currency: string;
  /** Epoch ms: those created since then. */
  from?: number;
  type?: string;
}

export interface BeneficiariesOf {
  uid: string;
  currency?: string;
  beneficiary_type?: string;
  payment_type?: string;
}

/**
 * A bank as everybody outside `src/api` knows it: which codes and words it has, how it pages, writes times and describes payees
 * is its own affair. Records and bodies are spelled as in the first interface (section 4), times are epoch milliseconds, amounts
 * decimals as text. Reads are retried inside a total time limit; a POST, PUT or DELETE is sent at most once. Every failure is a
 * `BankError` (`api/errors.ts`), and one that the bank has told has a condition.
 */
export interface Bank {
  /** Base URL without a trailing slash. */
  readonly baseUrl: string;
  /** The bank's clock, as far as its answers have told it to this process. */
  readonly clock: BankClock;
  accounts: {
    master(options?: ReadOptions): Promise<AccountBalance[]>;
    ofUser(uid: string, options?: ReadOptions): Promise<AccountBalance[]>;
    get(accountId: string, options?: ReadOptions): Promise<AccountBalance>;
  };
  beneficiaries: {
    requiredDetails(currency: string, beneficiaryType: string, options?: ReadOptions): Promise<RequiredDetailsEntry[]>;
    add(body: Record<string, string>, options?: SendOptions): Promise<{ beneficiary_id: string }>;
    get(beneficiaryId: string, options?: ReadOptions): Promise<Beneficiary>;
    /** Read whole, however the bank pages. */
    listAll(query: BeneficiariesOf, options?: ListOptions): Promise<BeneficiaryScan>;
    update(beneficiaryId: string, body: Record<string, string>, options?: SendOptions): Promise<void>;
    delete(beneficiaryId: string, options?: SendOptions): Promise<void>;
  };
  transactions: {
    paymentFee(
      query: Pick<PaymentBody, 'uid' | 'account_id' | 'beneficiary_id' | 'amount' | 'currency'>,
      options?: ReadOptions,
    ): Promise<PaymentFee>;
    payment(body: PaymentBody, options?: SendOptions): Promise<PlacedOrder>;
    transferFee(
      query: Pick<TransferBody, 'source_account_id' | 'destination_account_id' | 'amount'>,
      options?: ReadOptions,
    ): Promise<TransferFee>;
    transfer(body: TransferBody, options?: SendOptions): Promise<PlacedOrder>;
    fxQuote(
      query: Pick<FxBody, 'sell_account' | 'buy_account' | 'amount' | 'currency'>,
      options?: ReadOptions,
    ): Promise<FxQuote>;
    fx(body: FxBody, options?: SendOptions): Promise<PlacedOrder>;
  };
  orders: {
    /** Read whole, however the bank pages. */
    listAll(query: OrdersOf, options?: OrderListOptions): Promise<OrderScan>;
    /** The same as a proof that an order is not there: at the price of more calls whole in a busy list, too. */
    listSettled(query: OrdersOf & { from: number }, options?: ListOptions): Promise<OrderScan>;
    get(orderId: string, options?: ReadOptions): Promise<Order>;
    approve(orderId: string, options?: SendOptions): Promise<void>;
    reject(orderId: string, remark: string, options?: SendOptions): Promise<void>;
  };
  cards: Cards;
  /** Obtains a token (a fresh one with `force`); throws `AuthenticationError` when the bank refuses the key. */
  authenticate(options?: { force?: boolean }): Promise<void>;
  close(): Promise<void>;
}
