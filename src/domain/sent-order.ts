import type { Assessment } from './gates.ts';
import type { PayoutInstruction } from './instruction.ts';
import type { ExpectedOrder } from './order-judgement.ts';
import type { ExchangePlan } from './order-plans.ts';
import { unfitTransfer } from './own-accounts.ts';

/** Which of a payout's orders. */
export type LegKind = ExpectedOrder['kind'];

/** What every order has as it is sent. */
interface OrderTerms {
  /** Decimal string, in `currency`. */
  amount: string;
  currency: string;
  /** Epoch ms. */
  expiredAt: number;
  note?: string;
  reason?: string;
}

/** A payment as it is sent (interface section 4): fixed before the first attempt, and the same bytes on every resend. */
export interface PaymentOrder extends OrderTerms {
  accountId: string;
  beneficiaryId: string;
  /** Not sent: of the payee as people have agreed to it. Absent in a record of an earlier release. */
  payeeDigest?: string;
  chargeType?: string;
}

/** A transfer as it is sent, and the user whose lists may show its arrival. Its currency, of both accounts, is not sent. */
export interface TransferOrder extends OrderTerms {
  sourceAccountId: string;
  destinationAccountId: string;
  /** Not sent. */
  destinationUid: string;
}

/**
 * An exchange as it is sent, and what the booked order is compared with. Its amount is what is bought; note and reason are absent for
 * the exchange of a payout, whose texts are for the payee.
 */
export interface ExchangeOrder extends OrderTerms {
  sellAccountId: string;
  buyAccountId: string;
  /** Not sent: the quote at the first attempt. */
  sellCurrency: string;
  quotedSellAmount: string;
}

export type SentOrder = PaymentOrder | TransferOrder | ExchangeOrder;

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
  if (beneficiary?.known !== true) return undefined;
  return {
    accountId: payingAccountId ?? instruction.account_id,
    beneficiaryId: beneficiary.id,
    payeeDigest: beneficiary.digest,
    amount: instruction.amount,
    currency: instruction.currency,
    expiredAt: expiryOf(instruction, auditUntil),
    note: instruction.note,
    reason: instruction.reason,
    chargeType: instruction.charge_type,
  };
}

/**
 * The transfer of an instruction between the accounts as the bank was last seen to show them; undefined while they are not the
 * row's own. `auditUntil`: epoch ms.
 */
export function transferOrder(
  instruction: PayoutInstruction,
  { transfer }: Assessment,
  auditUntil: number,
  acrossUsers: boolean,
): TransferOrder | undefined {
  const { account_id, to_account_id, amount, currency, note, reason } = instruction;
  if (transfer === undefined || to_account_id === undefined) return undefined;
  if (unfitTransfer(instruction, transfer, acrossUsers) !== undefined) return undefined;
  return {
    sourceAccountId: account_id,
    destinationAccountId: to_account_id,
    amount,
    currency,
    destinationUid: transfer.destination.uid,
    expiredAt: expiryOf(instruction, auditUntil),
    note,
    reason,
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

/** The exchange of a row of its own, between the accounts that it names; undefined while the plan is another one. */
export function ownExchangeOrder(
  instruction: PayoutInstruction,
  { exchange }: Assessment,
  auditUntil: number,
): ExchangeOrder | undefined {
  const order = exchangeOrder(exchange, instruction, auditUntil);
  const { account_id, to_account_id, amount, currency, note, reason } = instruction;
  const isAsAsked =
    order?.sellAccountId === account_id &&
    order.buyAccountId === to_account_id &&
    order.amount === amount &&
    order.currency === currency;
  return order !== undefined && isAsAsked ? { ...order, note, reason } : undefined;
}

/** `expired_at` of an order: the row's own, or the end of the audit's life. */
const expiryOf = ({ expires_at: given }: PayoutInstruction, auditUntil: number): number =>
  given === undefined ? auditUntil : Date.parse(given);

/** The order lists that can show an order: both currencies of an exchange, the users of both accounts of a transfer. */
export function listsOf(uid: string, order: SentOrder): { uid: string; currency: string }[] {
  const own = { uid, currency: order.currency };
  if ('sellCurrency' in order) return [own, { uid, currency: order.sellCurrency }];
  if (!('destinationUid' in order) || order.destinationUid === uid) return [own];
  return [own, { uid: order.destinationUid, currency: order.currency }];
}

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
  if (kind === 'transfer') return { kind, reference, uid, accountId: account_id, currency, amount };
  const exchange = sent !== undefined && 'sellAccountId' in sent ? sent : assessed?.exchange;
  const bought = exchange !== undefined && 'buyAmount' in exchange ? exchange.buyAmount : exchange?.amount;
  const { buyAccountId, sellCurrency } = exchange ?? {};
  return {
    ...{ kind, reference, uid, accountId: account_id, currency, amount: bought ?? amount },
    ...{ buyAccountId, sellCurrency },
  };
}
