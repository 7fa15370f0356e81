import { z } from 'zod';
import { amount, currencyCode, decimal, identifier, optionalAmount, optionalText, spelled } from './wire.ts';

/** Fee of a payment or a transfer, in its own currency (interface section 4). */
export const orderFee = z
  .object({ fee: amount, fee_currency: currencyCode })
  .transform(spelled({ fee: 'fee_currency' }));
export type OrderFee = z.infer<typeof orderFee>;

/** FX quote (interface section 4). Without id and expiry: the rate is not locked. */
export const fxQuote = z
  .object({
    sell_account: identifier,
    buy_account: identifier,
    sell_amount: amount,
    buy_amount: amount,
    fee: optionalAmount,
    fee_currency: optionalText,
    // For people; the two amounts decide.
    rate: decimal.catch('a rate that cannot be read'),
    sell_currency: currencyCode,
    buy_currency: currencyCode,
  })
  .transform(spelled({ sell_amount: 'sell_currency', buy_amount: 'buy_currency', fee: 'fee_currency' }));
export type FxQuote = z.infer<typeof fxQuote>;

/** Answer of every order POST. */
export const placedOrder = z.object({ order_id: identifier });
export type PlacedOrder = z.infer<typeof placedOrder>;

/** Common body of every order POST (interface section 4). */
interface OrderBody {
  reference: string;
  amount: string;
  note?: string;
  reason?: string;
  expired_at?: number;
}

export interface PaymentBody extends OrderBody {
  uid: string;
  account_id: string;
  beneficiary_id: string;
  currency: string;
  charge_type?: string;
}

export interface TransferBody extends OrderBody {
  source_account_id: string;
  destination_account_id: string;
}

export interface FxBody extends OrderBody {
  sell_account: string;
  buy_account: string;
  currency: string;
  type?: string;
}
