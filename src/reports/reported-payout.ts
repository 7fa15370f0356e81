import type { ExchangePlan } from '../domain/agreed-cost.ts';
import { iso, isoOrNull } from '../domain/display.ts';
import { allot, currencyExponent, formatDecimal, parseDecimal, type Sum } from '../domain/money.ts';
import { payeeName } from '../domain/payee.ts';
import { isEnd } from '../domain/payout-state.ts';
import { shownStateOf } from '../domain/returned.ts';
import { amountPaid, type ExchangeOrder, type PaymentOrder } from '../domain/sent-order.ts';
import { returnReasonText } from '../domain/statements/return-reasons.ts';
import { orderAsked, orderToRepeat } from '../domain/submission.ts';
import type {
  BookedExchange,
  IncidentRecord,
  PaidOrderRecord,
  PayoutRecord,
  ReturnSeen,
  SendAttempt,
} from '../store/store.ts';
import { maskedAccount, maskedName, maskedPayee } from './masked.ts';
import type { NextStep } from './next-step.ts';
import type { ReportedExchange, ReportedPayout } from './report-document.ts';

/** What is known about a payout besides its row. */
export interface PayoutFacts {
  /** Attempts under its own reference and under that of its exchange, the oldest first. */
  attempts: { payment: readonly SendAttempt[]; exchange: readonly SendAttempt[] };
  booked: BookedExchange | undefined;
  /** Undefined: not completed, or the bank's order was never seen. */
  paid: PaidOrderRecord | undefined;
  approvals: readonly { by: string; at: number; where: 'before-submit' | 'at-bank' }[];
  returns: readonly ReturnSeen[];
  incidents: readonly IncidentRecord[];
  /** For a payee named by id: the name that the bank last showed. */
  nameAtBank: string | null;
  /** Of the exchange that bought for all of its batch; only for the report of a batch. */
  part?: ExchangePart | undefined;
  /** Undefined if it is completed. */
  step: NextStep | undefined;
}

export function reportedPayout(
  record: PayoutRecord,
  facts: PayoutFacts,
  links: { workflowUrl(workflowId: string): string },
): ReportedPayout {
  const { uid, documentId, instruction, reference, workflowId } = record;
  const { state, reason } = shownStateOf(record);
  const { step } = facts;
  return {
    row: record.row ?? 0,
    id: documentId,
    uid,
    payee: payeeOf(record, facts),
    accountId: instruction.account_id,
    payingAccountId: payingAccount(record, facts),
    ...amountOf(record, facts),
    fee: record.fee,
    feeCurrency: record.feeCurrency,
    exchange: facts.part === undefined ? exchangeOf(record, facts) : withoutFirst(facts.part),
    handedOverAt: iso(record.createdAt),
    executeOn: instruction.execute_on ?? record.original?.requestedExecution ?? null,
    submittedAt: isoOrNull(facts.attempts.payment.find(({ outcome }) => outcome !== 'not-sent')?.sentAt),
    settledAt: record.state === 'completed' ? isoOrNull(record.endedAt) : null,
    endedAt: isoOrNull(record.endedAt),
    maker: record.by,
    approvals: facts.approvals.map(({ at, ...approval }) => ({ ...approval, at: iso(at) })),
    state,
    reason,
    open: step === undefined || isEnd(state) ? null : { why: step.why, who: step.who, until: isoOrNull(step.until) },
    returns: inOrder(facts.returns).map((it) => ({
      ...{ orderId: it.orderId, amount: it.amount, currency: it.currency },
      why: returnReasonText({ code: it.reasonCode ?? undefined, text: it.reasonText ?? undefined }) ?? null,
    })),
    incidents: inOrder(facts.incidents).map(({ id, kind, orderId, acknowledged }) => ({
      ...{ id, kind, orderId },
      isAcknowledged: acknowledged !== null,
    })),
    orderId: record.orderId,
    reference,
    workflowId,
    url: links.workflowUrl(workflowId),
  };
}

/** The same with the payee's name and account numbers masked. */
export function maskedPayout(payout: ReportedPayout): ReportedPayout {
  const { payee, accountId, payingAccountId, exchange } = payout;
  return {
    ...payout,
    payee: { ...payee, name: payee.name && maskedName(payee.name) },
    accountId: maskedAccount(accountId),
    payingAccountId: payingAccountId && maskedAccount(payingAccountId),
    exchange: exchange && {
      ...exchange,
      accountId: maskedAccount(exchange.accountId),
      boughtTo: maskedAccount(exchange.boughtTo),
    },
  };
}

function payeeOf({ instruction }: PayoutRecord, { nameAtBank }: PayoutFacts): ReportedPayout['payee'] {
  const { beneficiary_id: beneficiaryId = null, ...fields } = instruction;
  return {
    name: payeeName(fields) ?? nameAtBank,
    account: maskedPayee(fields).account || null,
    beneficiaryId,
  };
}

/** The account from which the payment was sent; before that, the one that was assessed. */
function payingAccount({ assessed }: PayoutRecord, { attempts }: PayoutFacts): string | null {
  const sent = orderToRepeat<PaymentOrder>(orders(attempts.payment));
  return sent?.accountId ?? assessed?.payingAccountId ?? null;
}

export function exchangeOf(
  { assessed }: PayoutRecord,
  { booked, attempts }: Pick<PayoutFacts, 'booked' | 'attempts'>,
): ReportedExchange | null {
  const asked = booked === undefined ? orderToRepeat : orderAsked;
  const sent = asked<ExchangeOrder>(orders(attempts.exchange));
  const plan: Omit<ExchangePlan, 'buysWhatWasAsked'> | undefined =
    sent === undefined ? assessed?.exchange : { ...sent, buyAmount: sent.amount, buyCurrency: sent.currency };
  if (plan === undefined) return null;
  return {
    orderId: booked?.orderId ?? attempts.exchange.findLast(({ orderId }) => orderId !== null)?.orderId ?? null,
    accountId: plan.sellAccountId,
    soldAmount: booked?.soldAmount ?? null,
    soldCurrency: booked?.soldCurrency ?? plan.sellCurrency,
    boughtAmount: booked?.boughtAmount ?? plan.buyAmount,
    boughtCurrency: booked?.boughtCurrency ?? plan.buyCurrency,
    boughtTo: plan.buyAccountId,
    rate: booked?.rate ?? null,
    quotedAmount: plan.quotedSellAmount,
    fee: booked?.fee ?? null,
    feeCurrency: booked?.feeCurrency ?? null,
  };
}

const withoutFirst = ({ isFirst: _, ...exchange }: ExchangePart): ReportedExchange => exchange;

/** What is sent under a payout's reference is always an order; the check only narrows the type. */
const orders = (attempts: readonly SendAttempt[]) =>
  attempts.flatMap(({ outcome, request }) =>
    request !== null && 'referenceId' in request ? [] : [{ outcome, request }],
  );

const inOrder = <Fact extends { orderId: string; kind?: string }>(facts: readonly Fact[]): Fact[] =>
  facts.toSorted((a, b) => compare(a.orderId, b.orderId) || compare(a.kind ?? '', b.kind ?? ''));

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What a completed payout paid, by the bank's order; else what is asked for. */
function amountOf(record: PayoutRecord, { paid, attempts }: PayoutFacts): Sum {
  const { amount, currency } = record.instruction;
  const asked = { amount, currency };
  if (record.state !== 'completed') return asked;
  return amountPaid(paid, orderToRepeat<PaymentOrder>(attempts.payment) ?? asked, record) ?? asked;
}

/** What one payout has of an exchange that bought for all of its batch. */
export interface ExchangePart extends ReportedExchange {
  /** Of the parts of an exchange one is the first. */
  isFirst: boolean;
}

export interface Share {
  reference: string;
  /** Decimal string. */
  weight: string;
}

/**
 * By reference, in proportion to the weights. What was sold, bought, quoted and charged is allotted by largest remainder, so that
 * the parts add up to the whole. `currency`: that of the weights.
 */
export function partsOf(whole: ReportedExchange, currency: string, shares: readonly Share[]): [string, ExchangePart][] {
  const weights = shares.map(({ weight }) => digitsOf(weight, currencyExponent(currency) ?? 0));
  const sold = split(whole.soldAmount, whole.soldCurrency, weights);
  const bought = split(whole.boughtAmount, whole.boughtCurrency, weights);
  const quoted = split(whole.quotedAmount, whole.soldCurrency, weights);
  const fees = split(whole.fee, whole.feeCurrency ?? whole.soldCurrency, weights);
  return shares.map(({ reference }, at) => [
    reference,
    {
      ...whole,
      soldAmount: sold[at] ?? null,
      boughtAmount: bought[at] ?? whole.boughtAmount,
      quotedAmount: quoted[at] ?? whole.quotedAmount,
      fee: fees[at] ?? null,
      isFirst: at === 0,
    },
  ]);
}

/** With the decimals of its currency, or those that the bank shows if they are more; nothing if it is not known. */
function split(whole: string | null, currency: string, weights: readonly bigint[]): string[] {
  const shown = whole === null ? undefined : parseDecimal(whole);
  if (shown === undefined) return [];
  const scale = Math.max(shown.scale, currencyExponent(currency) ?? 0);
  const digits = shown.digits * 10n ** BigInt(scale - shown.scale);
  // Some banks show what leaves an account with a sign.
  const parts = allot(digits < 0n ? -digits : digits, weights);
  return parts.map((part) => formatDecimal({ digits: digits < 0n ? -part : part, scale }));
}

function digitsOf(amount: string, scale: number): bigint {
  const { digits, scale: own } = parseDecimal(amount) ?? { digits: 0n, scale: 0 };
  return own > scale ? digits : digits * 10n ** BigInt(scale - own);
}
