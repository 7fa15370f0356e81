import type { BankClock } from './bank-clock.ts';
import type { ReadOptions, SendOptions } from './call-options.ts';
import type { Cards } from './cards.ts';
import type { AccountBalance } from './schemas/accounts.ts';
import type { Beneficiary, RequiredDetailsEntry } from './schemas/beneficiaries.ts';
import type { Order, OrderQuery } from './schemas/orders.ts';
import type {
  FxBody,
  FxQuote,
  PaymentBody,
  PaymentFee,
  PlacedOrder,
  TransferBody,
  TransferFee,
} from './schemas/transactions.ts';
import type { Page } from './schemas/wire.ts';

/** Query of the beneficiary list (interface section 4). */
export interface BeneficiaryQuery {
  uid: string;
  currency?: string;
  beneficiary_type?: string;
  payment_type?: string;
  page?: number;
  page_size?: number;
}

/**
 * Every operation of the interface (section 4); those of banking wire-spelled. Reads are retried inside a total time limit; a POST,
 * PUT or DELETE is sent at most once. Every failure is a `BankError` (`api/errors.ts`).
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
    list(query: BeneficiaryQuery, options?: ReadOptions): Promise<Page<Beneficiary>>;
    update(beneficiaryId: string, body: Record<string, string>, options?: SendOptions): Promise<void>;
    delete(beneficiaryId: string, options?: SendOptions): Promise<void>;
  };
  transactions: {
    paymentFee(
      query: { uid: string; account_id: string; beneficiary_id: string; amount: string; currency: string },
      options?: ReadOptions,
    ): Promise<PaymentFee>;
    payment(body: PaymentBody, options?: SendOptions): Promise<PlacedOrder>;
    transferFee(
      query: { source_account_id: string; destination_account_id: string; amount: string },
      options?: ReadOptions,
    ): Promise<TransferFee>;
    transfer(body: TransferBody, options?: SendOptions): Promise<PlacedOrder>;
    fxQuote(
      query: { sell_account: string; buy_account: string; amount: string; currency: string },
      options?: ReadOptions,
    ): Promise<FxQuote>;
    fx(body: FxBody, options?: SendOptions): Promise<PlacedOrder>;
  };
  orders: {
    list(query: OrderQuery, options?: ReadOptions): Promise<Page<Order>>;
    get(orderId: string, options?: ReadOptions): Promise<Order>;
    approve(orderId: string, options?: SendOptions): Promise<void>;
    reject(orderId: string, remark: string, options?: SendOptions): Promise<void>;
  };
  cards: Cards;
  /** Obtains a token (a fresh one with `force`); throws `AuthenticationError` when the bank refuses the key. */
  authenticate(options?: { force?: boolean }): Promise<void>;
  close(): Promise<void>;
}
