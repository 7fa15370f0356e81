import type { ExchangePlan, ShownAccount, TransferPlan } from './agreed-cost.ts';
import type { Assessment } from './gates.ts';
import type { PayoutInstruction } from './instruction.ts';
import { addDecimals, decimalsEqual, isBetween, type Sum } from './money.ts';
import type { OrderKind } from './names.ts';
import type { ExpectedOrder, OrderFacts } from './order-judgement.ts';
import type { Reason } from './payout-state.ts';
import { because } from './reasons.ts';

/** What every order has when it is sent. */
interface OrderTerms {
  /** Decimal string, in `currency`. */
  amount: string;
  currency: string;
  /** Epoch ms. */
  expiredAt: number;
  note?: string;
  reason?: string;
}

/** A payment as it is sent (interface section 4): fixed before the first attempt, the same bytes on every resend. */
export interface PaymentOrder extends OrderTerms {
  accountId: string;
  beneficiaryId: string;
  /** Not sent: digest of the payee that people agreed to. */
  payeeDigest: string;
  chargeType?: string;
}

/** A transfer as it is sent, and the user whose lists may show its arrival. `currency`, of both accounts, is not sent. */
interface TransferOrder extends OrderTerms {
  sourceAccountId: string;
  destinationAccountId: string;
  /** Not sent. */
  destinationUid: string;
}

/**
 * An exchange as it is sent, and what the booked order is compared with. `amount` is what is bought; a payout's exchange has no
 * note and reason, because those are for the payee.
 */
export interface ExchangeOrder extends OrderTerms {
  sellAccountId: string;
  buyAccountId: string;
  /** Not sent: these two are from the quote before the first attempt. */
  sellCurrency: string;
  quotedSellAmount: string;
}

export type SentOrder = PaymentOrder | TransferOrder | ExchangeOrder;

/** What is stored of a request about a card payment: no card data. */
export interface SentCardRequest {
  /** Id of the 3DS session; null without a setup. */
  referenceId: string | null;
}

/** The payment of an instruction, from the last assessment; undefined while no payee is known. `auditUntil`: epoch ms. */
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
    ...termsOf(instruction, auditUntil),
    chargeType: instruction.charge_type,
  };
}

/**
 * The transfer of an instruction, from the last assessment; undefined if the accounts are not fit for it. `auditUntil`: epoch ms.
 */
export function transferOrder(
  instruction: PayoutInstruction,
  { transfer }: Assessment,
  auditUntil: number,
  acrossUsers: boolean,
): TransferOrder | undefined {
  const { account_id, to_account_id } = instruction;
  if (transfer === undefined || to_account_id === undefined) return undefined;
  if (unfitTransfer(instruction, transfer, acrossUsers) !== undefined) return undefined;
  return {
    sourceAccountId: account_id,
    destinationAccountId: to_account_id,
    destinationUid: transfer.destination.uid,
    ...termsOf(instruction, auditUntil),
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
    expiredAt: termsOf(instruction, auditUntil).expiredAt,
    sellCurrency,
    quotedSellAmount,
  };
}

/**
 * The order of a stand-alone exchange; undefined if the plan differs from the accounts, amount or currency that the row names.
 */
export function ownExchangeOrder(
  instruction: PayoutInstruction,
  { exchange }: Assessment,
  auditUntil: number,
): ExchangeOrder | undefined {
  const order = exchangeOrder(exchange, instruction, auditUntil);
  const { account_id, to_account_id, amount, currency } = instruction;
  const isAsAsked =
    order?.sellAccountId === account_id &&
    order.buyAccountId === to_account_id &&
    order.amount === amount &&
    order.currency === currency;
  return order !== undefined && isAsAsked ? { ...order, ...termsOf(instruction, auditUntil) } : undefined;
}

/** What every order takes from its instruction. Without an expiry of its own it expires with the bank's audit time. */
function termsOf({ expires_at: given, ...instruction }: PayoutInstruction, auditUntil: number): OrderTerms {
  const { amount, currency, note, reason } = instruction;
  return { amount, currency, expiredAt: given === undefined ? auditUntil : Date.parse(given), note, reason };
}

/**
 * Whether a recorded order may leave again in place of the one that would be made now: it differs in nothing that people sign. An
 * exchange may buy for another fee, within these bounds, decimals.
 */
export function isRepeatOf(
  recorded: SentOrder,
  made: SentOrder,
  bought: { atLeast: string; atMost: string } | undefined,
): boolean {
  const [before, now]: [Record<string, unknown>, Record<string, unknown>] = [{ ...recorded }, { ...made }];
  const names = new Set([...Object.keys(before), ...Object.keys(now)].filter((name) => !OF_ITS_TIME.has(name)));
  if (![...names].every((name) => before[name] === now[name])) return false;
  // The record comes from the store, and says nothing of its types.
  const { amount, expiredAt } = before;
  if (typeof amount !== 'string' || typeof expiredAt !== 'number' || expiredAt > made.expiredAt) return false;
  if (amount === made.amount) return true;
  return 'sellCurrency' in made && (bought === undefined || isBetween(amount, bought.atLeast, bought.atMost));
}

/** Members that an earlier attempt may have otherwise. The payee is compared as the bank shows it, by the sender. */
const OF_ITS_TIME: ReadonlySet<string> = new Set(['amount', 'expiredAt', 'payeeDigest', 'quotedSellAmount']);

/** What decides in which lists an order is shown. */
interface ListedOrder {
  currency: string;
  sellCurrency?: string;
  destinationUid?: string;
}

/** The order lists that can show an order: both currencies of an exchange, the users of both accounts of a transfer. */
export function listsOf(
  uid: string,
  { currency, sellCurrency, destinationUid }: ListedOrder,
): { uid: string; currency: string }[] {
  const lists = [{ uid, currency }];
  if (sellCurrency !== undefined && sellCurrency !== currency) lists.push({ uid, currency: sellCurrency });
  if (destinationUid !== undefined && destinationUid !== uid) lists.push({ uid: destinationUid, currency });
  return lists;
}

/** Those that can show the order which would be made of a row as it was read; null: it never was. */
export const listsOfPlan = (
  { uid, currency }: Pick<PayoutInstruction, 'uid' | 'currency'>,
  read: Pick<Assessment, 'exchange' | 'transfer'> | null,
): { uid: string; currency: string }[] =>
  listsOf(uid, {
    currency,
    sellCurrency: read?.exchange?.sellCurrency,
    destinationUid: read?.transfer?.destination.uid,
  });

/** The order that a search or a read must find under a reference. */
export function expectedOrder(
  kind: OrderKind,
  reference: string,
  { uid, account_id: accountId, amount, currency }: PayoutInstruction,
  assessed: Assessment | null,
  sent: SentOrder | undefined,
): ExpectedOrder {
  const fee = assessed?.feeCurrency === currency ? assessed.fee : undefined;
  if (kind === 'payment') {
    const paid = sent !== undefined && 'beneficiaryId' in sent ? sent.accountId : assessed?.payingAccountId;
    return { kind, reference, uid, accountId: paid, currency, amount, fee };
  }
  if (kind === 'transfer') return { kind, reference, uid, accountId, currency, amount, fee };
  const exchange = sent !== undefined && 'sellAccountId' in sent ? sent : assessed?.exchange;
  const bought = exchange !== undefined && 'buyAmount' in exchange ? exchange.buyAmount : exchange?.amount;
  const { buyAccountId, sellCurrency } = exchange ?? {};
  return { kind, reference, uid, accountId, currency, amount: bought ?? amount, buyAccountId, sellCurrency };
}

/** What the bank shows of a paid order: the amount that was asked for, and the account it left. Absent: not shown. */
export interface PaidShown {
  orderId: string;
  /** Decimal string; for an exchange what was bought. The interface does not show whether it includes the fee. */
  amount?: string;
  currency?: string;
  accountId?: string;
}

export function paidShown(kind: OrderKind, order: OrderFacts): PaidShown {
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
  sent: Sum | undefined,
  { fee, feeCurrency }: { fee: string | null; feeCurrency: string | null },
): Sum | undefined {
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

/** Which accounts an instruction may use: those that the API key can see, by default of its user. */

/**
 * Why a transfer between these accounts must not be sent; undefined if it may. Checked before the send, and again by the sender.
 */
export function unfitTransfer(
  { uid, currency }: PayoutInstruction,
  { source, destination }: TransferPlan,
  acrossUsers: boolean,
): Reason | undefined {
  const isFit = source.currency === currency && destination.currency === currency;
  const found = `${source.currency} to ${destination.currency}, not ${currency}`;
  return foreignAccount(uid, source, acrossUsers ? undefined : destination) ?? unlessFit(isFit, found);
}

/** The same for an exchange, whose `currency` is the one bought; a bank exchanges only between accounts of one user. */
export function unfitExchange(
  { uid, currency }: PayoutInstruction,
  { sell, buy }: { sell: ShownAccount; buy: ShownAccount },
): Reason | undefined {
  const isFit = buy.currency === currency && sell.currency !== currency;
  const found = `${sell.currency} to ${buy.currency}, not another currency to ${currency}`;
  return foreignAccount(uid, sell, buy) ?? unlessFit(isFit, found);
}

const unlessFit = (isFit: boolean, found: string): Reason | undefined =>
  isFit ? undefined : because('account-currency', found);

/** Why nothing may be sent with these accounts: a person who may pay for one user has no authority over the money of another. */
export function foreignAccount(uid: string, ...accounts: readonly (ShownAccount | undefined)[]): Reason | undefined {
  return accounts.every((account) => account === undefined || account.uid === uid)
    ? undefined
    : because('account-not-own');
}
