import type { ListDoubt } from '../domain/absence.ts';
import type { BankClock } from './bank-clock.ts';
import type { ReadOptions, SendOptions } from './call-options.ts';
import type { Cards } from './cards/acquirer.ts';
import type { AccountBalance } from './schemas/accounts.ts';
import type { Beneficiary, RequiredDetailsEntry } from './schemas/beneficiaries.ts';
import type { Order } from './schemas/orders.ts';
import type { FxBody, FxQuote, OrderFee, PaymentBody, PlacedOrder, TransferBody } from './schemas/transactions.ts';

export interface ListOptions extends ReadOptions {
  /** Records per page, where the bank lets us choose. */
  pageSize?: number;
  /** Stop after this many calls, complete or not. */
  calls?: number;
}

interface OrderListOptions extends ListOptions {
  /** Called with each page; true stops the reading, complete or not. */
  enough?: (page: readonly Order[]) => boolean;
}

/** Result of reading a list. */
export interface Scan {
  /** Every record that was in the list when the reading began has been read. */
  stable: boolean;
  pagesRead: number;
  /** Why what was read is not believed; then it is not stable either. */
  doubt?: ListDoubt;
}

/** Orders are distinct by id and reference, in the order first seen, and all of the user and currency asked for. */
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
  /** Epoch ms: orders created since then. */
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
 * A bank as seen outside `src/bank`, which hides its codes and words, its paging, time formats and payee descriptions. Records and
 * bodies are spelled as in the first interface (section 4); times are epoch milliseconds, amounts decimal strings. Reads are
 * retried within a total time limit; a POST, PUT or DELETE is sent at most once. Every failure is a `BankError`
 * (`api/errors.ts`); one that the bank reported has a condition.
 */
export interface Bank {
  /** Base URL without a trailing slash. */
  readonly baseUrl: string;
  /** The bank's clock as measured by this process from its answers. */
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
    /** Reads the whole list, however the bank pages. */
    listAll(query: BeneficiariesOf, options?: ListOptions): Promise<BeneficiaryScan>;
    update(beneficiaryId: string, body: Record<string, string>, options?: SendOptions): Promise<void>;
    delete(beneficiaryId: string, options?: SendOptions): Promise<void>;
  };
  transactions: {
    paymentFee(
      query: Pick<PaymentBody, 'uid' | 'account_id' | 'beneficiary_id' | 'amount' | 'currency'>,
      options?: ReadOptions,
    ): Promise<OrderFee>;
    payment(body: PaymentBody, options?: SendOptions): Promise<PlacedOrder>;
    transferFee(
      query: Pick<TransferBody, 'source_account_id' | 'destination_account_id' | 'amount'>,
      options?: ReadOptions,
    ): Promise<OrderFee>;
    transfer(body: TransferBody, options?: SendOptions): Promise<PlacedOrder>;
    fxQuote(
      query: Pick<FxBody, 'sell_account' | 'buy_account' | 'amount' | 'currency'>,
      options?: ReadOptions,
    ): Promise<FxQuote>;
    fx(body: FxBody, options?: SendOptions): Promise<PlacedOrder>;
  };
  orders: {
    /** Reads the whole list, however the bank pages. */
    listAll(query: OrdersOf, options?: OrderListOptions): Promise<OrderScan>;
    /** `listAll` as a proof that an order is absent: complete even for a busy list, at the price of more calls. */
    listStable(query: OrdersOf & { from: number }, options?: ListOptions): Promise<OrderScan>;
    get(orderId: string, options?: ReadOptions): Promise<Order>;
    approve(orderId: string, options?: SendOptions): Promise<void>;
    reject(orderId: string, remark: string, options?: SendOptions): Promise<void>;
  };
  cards: Cards;
  /** Obtains a token (a new one with `force`); throws `AuthenticationError` if the bank refuses the key. */
  authenticate(options?: { force?: boolean }): Promise<void>;
  close(): Promise<void>;
}
