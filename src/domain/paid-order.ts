import { addDecimals, decimalsEqual } from './money.ts';
import type { LegKind } from './names.ts';
import type { OrderFacts } from './order-judgement.ts';
import type { SentOrder } from './sent-order.ts';

/** What the bank shows of a paid order: the amount that was asked for, and the account it left. Absent: not shown. */
export interface PaidShown {
  orderId: string;
  /** Decimal string; for an exchange what was bought. The interface does not show whether it includes the fee. */
  amount?: string;
  currency?: string;
  accountId?: string;
}

export function paidShown(kind: LegKind, order: OrderFacts): PaidShown {
  const { order_id: orderId } = order;
  if (kind === 'exchange') {
    return { orderId, amount: order.buy_amount, currency: order.buy_currency, accountId: order.sell_account };
  }
  const { transaction_amount: amount, transaction_currency: currency, transaction_account: accountId } = order;
  return { orderId, amount, currency, accountId };
}

/** What is not shown is null where it is stored. */
type Stored = Record<'amount' | 'currency', string | null>;

/**
 * The amount and currency that a paid order moved, without its fee: as the bank shows them, else as it was sent. Undefined:
 * neither is known.
 */
export function amountPaid(
  shown: Stored | undefined,
  sent: Pick<SentOrder, 'amount' | 'currency'> | undefined,
  { fee, feeCurrency }: { fee: string | null; feeCurrency: string | null },
): { amount: string; currency: string } | undefined {
  const amount = shown?.amount ?? undefined;
  const currency = shown?.currency ?? sent?.currency;
  if (amount === undefined || currency === undefined) return sent && { amount: sent.amount, currency: sent.currency };
  const includesFee =
    sent !== undefined &&
    fee !== null &&
    feeCurrency === currency &&
    decimalsEqual(amount, addDecimals(sent.amount, fee));
  return { amount: includesFee ? sent.amount : amount, currency };
}
