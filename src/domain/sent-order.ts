import type { Assessment, ExchangePlan } from './gates.ts';
import type { PayoutInstruction } from './instruction.ts';
import type { Terms } from './policy.ts';

/** A payment as it is sent (interface section 4): fixed before the first attempt, and the same bytes on every resend. */
export interface PaymentOrder {
  accountId: string;
  beneficiaryId: string;
  /** Decimal string. */
  amount: string;
  currency: string;
  /** Epoch ms. */
  expiredAt: number;
  note?: string;
  reason?: string;
  chargeType?: string;
}

/** An exchange as it is sent, and what the booked order is compared with. */
export interface ExchangeOrder {
  sellAccountId: string;
  buyAccountId: string;
  /** Decimal string: what is bought, in `currency`. */
  amount: string;
  currency: string;
  /** Epoch ms. */
  expiredAt: number;
  /** Not sent: the quote at the first attempt. */
  sellCurrency: string;
  quotedSellAmount: string;
}

export type SentOrder = PaymentOrder | ExchangeOrder;

/** What is kept of a request about a card payment: nothing of the card. */
export interface SentCardRequest {
  /** Of the 3-D Secure session; null without a set-up. */
  referenceId: string | null;
}

/** The payment of an instruction as the bank was last seen; `now` in epoch ms. */
export function paymentOrder(
  instruction: PayoutInstruction,
  { payingAccountId, beneficiary }: Assessment,
  terms: Terms,
  now: number,
): PaymentOrder {
  if (!beneficiary.known) throw new Error('no payee is known to send to');
  return {
    accountId: payingAccountId ?? instruction.account_id,
    beneficiaryId: beneficiary.id,
    amount: instruction.amount,
    currency: instruction.currency,
    expiredAt: expiryOf(instruction, terms, now),
    note: instruction.note,
    reason: instruction.reason,
    chargeType: instruction.charge_type,
  };
}

/** The exchange that a plan asks for; `now` in epoch ms. */
export function exchangeOrder(
  plan: ExchangePlan,
  instruction: PayoutInstruction,
  terms: Terms,
  now: number,
): ExchangeOrder {
  const { sellAccountId, buyAccountId, buyAmount, buyCurrency, sellCurrency, quotedSellAmount } = plan;
  return {
    sellAccountId,
    buyAccountId,
    amount: buyAmount,
    currency: buyCurrency,
    expiredAt: expiryOf(instruction, terms, now),
    sellCurrency,
    quotedSellAmount,
  };
}

/** `expired_at` of an order: the row's own, or the audit's life from now. */
function expiryOf({ expires_at: given }: PayoutInstruction, { auditTtlMs }: Terms, now: number): number {
  return given === undefined ? now + auditTtlMs : Date.parse(given);
}
