import type { Assessment, ExchangePlan } from './gates.ts';
import type { PayoutInstruction } from './instruction.ts';
import type { ExpectedOrder } from './order-judgement.ts';

/** Which of a payout's orders. */
export type LegKind = ExpectedOrder['kind'];

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

/** The payment of an instruction as the bank was last seen; undefined while no payee is known. `auditUntil`: epoch ms. */
export function paymentOrder(
  instruction: PayoutInstruction,
  { payingAccountId, beneficiary }: Assessment,
  auditUntil: number,
): PaymentOrder | undefined {
  if (!beneficiary.known) return undefined;
  return {
    accountId: payingAccountId ?? instruction.account_id,
    beneficiaryId: beneficiary.id,
    amount: instruction.amount,
    currency: instruction.currency,
    expiredAt: expiryOf(instruction, auditUntil),
    note: instruction.note,
    reason: instruction.reason,
    chargeType: instruction.charge_type,
  };
}

/** The exchange that a plan asks for; undefined without a plan. `auditUntil`: epoch ms. */
export function exchangeOrder(
  plan: ExchangePlan | undefined,
  instruction: PayoutInstruction,
  auditUntil: number,
): ExchangeOrder | undefined {
  if (plan === undefined) return undefined;
  const { sellAccountId, buyAccountId, buyAmount, buyCurrency, sellCurrency, quotedSellAmount } = plan;
  return {
    sellAccountId,
    buyAccountId,
    amount: buyAmount,
    currency: buyCurrency,
    expiredAt: expiryOf(instruction, auditUntil),
    sellCurrency,
    quotedSellAmount,
  };
}

/** `expired_at` of an order: the row's own, or the end of the audit's life. */
const expiryOf = ({ expires_at: given }: PayoutInstruction, auditUntil: number): number =>
  given === undefined ? auditUntil : Date.parse(given);

/** The order that a look or a read of the bank has to find under a reference. */
export function expectedOrder(
  kind: LegKind,
  reference: string,
  { uid, account_id, amount, currency }: PayoutInstruction,
  assessed: Assessment | null,
  sent: SentOrder | undefined,
): ExpectedOrder {
  if (kind === 'payment') {
    const paid = sent !== undefined && 'beneficiaryId' in sent ? sent.accountId : assessed?.payingAccountId;
    return { kind, reference, uid, accountId: paid, currency, amount };
  }
  const bought = sent !== undefined && 'sellAccountId' in sent ? sent.amount : assessed?.exchange?.buyAmount;
  return { kind, reference, uid, accountId: account_id, currency, amount: bought ?? amount };
}
