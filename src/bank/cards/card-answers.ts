import { type CardPaymentView, endOfStatus } from '../../domain/card-payment.ts';
import { isToken } from '../../domain/text.ts';
import {
  asksAgain,
  type CallContext,
  type Judge,
  readEnvelope,
  readJson,
  refusal,
  unauthenticated,
  unknownOutcome,
} from '../answers.ts';
import { BankError } from '../errors.ts';
import { isEnvelopeCode } from '../schemas/envelope.ts';
import { asWord, inCapitals } from '../schemas/wire.ts';
import type { HttpAnswer } from '../transport.ts';
import { acceptedUrl, type UrlRule } from '../verify-url.ts';
import type { CardNotice, ThreeDsSession } from './acquirer.ts';
import { type CardFields, readText, readValue } from './card-fields.ts';
import { masked } from './card-mask.ts';

/**
 * Judges answers of the card endpoints. Their shape is not shown (interface sections 4 and 7), so a bare JSON object and the
 * banking envelope are both accepted, and an answer without a payment proves nothing unless a code or a setting says so.
 */
export interface CardRules {
  fields: CardFields;
  /** HTTP statuses of a create or resume which, without a known code and a payment, prove that nothing was taken. */
  refusalStatuses: ReadonlySet<number>;
  verifyUrls: UrlRule;
}

/** The payment in an answer with any 2xx or 4xx status. With `paymentId`, the answer must be about that payment. */
export const judgePayment =
  (rules: CardRules, paymentId?: string): Judge<CardPaymentView> =>
  (answer, call) => {
    const payment = mayName(answer) ? paymentIn(answer, rules) : undefined;
    if (payment === undefined) throw failureOf(answer, call, 'payment', (status) => rules.refusalStatuses.has(status));
    if (paymentId === undefined || payment.paymentId === paymentId) return payment;
    throw unknownOutcome('about another payment', true, answer, call);
  };

/** The session of a setup; only from a successful answer, as an error may carry a `reference_id` of its own. */
export const judgeSession =
  (rules: CardRules): Judge<ThreeDsSession> =>
  (answer, call) => {
    const fields = rules.fields.session;
    for (const source of isSuccess(answer) ? sourcesOf(answer) : []) {
      const referenceId = readText(fields.reference_id, source);
      if (referenceId === undefined) continue;
      const dataCollectionInfo = readValue(fields.data_collection_info, source) ?? null;
      return { referenceId, dataCollectionInfo };
    }
    // A setup moves no money: a 4xx, which would be repeated, counts as a refusal.
    throw failureOf(answer, call, '3-D Secure session', (status) => status >= 400 && status < 500);
  };

/** The JSON of a successful answer, with possible card data masked. */
export const judgeRaw: Judge<unknown> = (answer, call) => {
  const json = readJson(answer.body);
  if (isSuccess(answer) && typeof json === 'object' && json !== null) return masked(json);
  throw failureOf(answer, call, 'payment', () => false);
};

/** Reads a webhook's event. One with a final status is about the payment; one about 3DS reports a completed challenge. */
export function noticeOf({ webhook }: CardFields, body: unknown): CardNotice | undefined {
  const paymentId = readText(webhook.payment_id, body);
  const referenceId = readText(webhook.reference_id, body);
  const status = statusIn(webhook.payment_status, body);
  const merchantRequestId = readText(webhook.merchant_request_id, body);
  const sum = { amount: readText(webhook.amount, body), currency: currencyIn(webhook.currency, body) };
  const unread = sum.amount === undefined && readValue(webhook.amount, body) !== undefined;
  const named = { paymentId, referenceId, merchantRequestId };
  if (paymentId === undefined && referenceId === undefined) return undefined;
  const about3ds = /3ds|three_ds/i.test(readText(webhook.type, body) ?? '');
  // A 3DS completion may show the status that the payment still has.
  const statusCounts =
    status !== undefined && paymentId !== undefined && (!about3ds || endOfStatus(status) !== undefined);
  if (statusCounts) return { kind: 'status', status, ...named, ...sum, ...(unread && { unread }) };
  return about3ds || referenceId !== undefined ? { kind: 'completion', status: undefined, ...named } : undefined;
}

function paymentIn(
  answer: HttpAnswer,
  { fields: { payment: fields }, verifyUrls }: CardRules,
): CardPaymentView | undefined {
  for (const source of sourcesOf(answer)) {
    const paymentId = readText(fields.payment_id, source);
    const status = statusIn(fields.payment_status, source);
    // With another id, no event could name the payment and no request could ask for it: its outcome is unknown.
    if (paymentId === undefined || !isToken(paymentId) || status === undefined) continue;
    const type = wordIn(fields['next_action.type'], source);
    const url = readText(fields['next_action.verify_url'], source);
    const verifyUrl = url === undefined ? null : acceptedUrl(url, verifyUrls);
    // The interface knows one type of action; an answer may show only its URL.
    const nextAction = type === undefined && url === undefined ? null : { type: type ?? '3DS', verifyUrl };
    return {
      paymentId,
      status,
      nextAction,
      amount: wordIn(fields.amount, source),
      currency: currencyIn(fields.currency, source),
      merchantRequestId: wordIn(fields.merchant_request_id, source),
    };
  }
  return undefined;
}

/** Shown to people, stored and repeated in histories. */
function wordIn(...where: Parameters<typeof readText>): string | undefined {
  const text = readText(...where);
  return text === undefined ? undefined : asWord(text);
}

/** ISO 4217 writes codes in capitals, and not every acquirer does. */
const currencyIn = (...where: Parameters<typeof readText>): string | undefined => wordIn(...where)?.toUpperCase();

/** A status of the interface (section 3) is the same in any case; another one is kept as it is. */
function statusIn(...where: Parameters<typeof readText>): string | undefined {
  const text = wordIn(...where);
  const word = inCapitals(text ?? '');
  return STATUSES.has(word) ? word : text;
}

const STATUSES: ReadonlySet<string> = new Set(['PROCESSING', 'REQUIRES_ACTION', 'SUCCEEDED', 'FAILED']);

/** Objects that may be the payload: the data of an envelope, then the whole. */
function sourcesOf(answer: HttpAnswer): object[] {
  const whole = readJson(answer.body);
  const data = readEnvelope(answer.body)?.data;
  return [data, whole].filter((source): source is object => typeof source === 'object' && source !== null);
}

const isSuccess = (answer: HttpAnswer): boolean =>
  answer.status >= 200 && answer.status < 300 && refusalCode(answer) === undefined;

/** Whether the answer may name a payment. A 5xx may come from in front of the acquirer, with the body of another attempt. */
const mayName = ({ status }: HttpAnswer): boolean => (status >= 200 && status < 300) || (status >= 400 && status < 500);

/** The non-zero code of a banking envelope; other members named `code` are the acquirer's own. */
function refusalCode({ body }: HttpAnswer): number | undefined {
  const code = readEnvelope(body)?.code;
  return code !== undefined && code !== 0 && isEnvelopeCode(code) ? code : undefined;
}

/** The error of an answer without a `what`. */
function failureOf(
  answer: HttpAnswer,
  call: CallContext,
  what: string,
  isRefusal: (status: number) => boolean,
): BankError {
  const { status } = answer;
  const code = refusalCode(answer);
  if (status >= 300 && status < 400) {
    return unknownOutcome(`HTTP ${status}; redirects are not followed`, false, answer, call);
  }
  if (code !== undefined) return refusal(code, answer, call);
  if (status === 401 || status === 403) return unauthenticated(answer, call);
  const retryable = asksAgain(status);
  if (retryable || !isRefusal(status))
    return unknownOutcome(`HTTP ${status} without a ${what}`, retryable, answer, call);
  const { operation } = call;
  return new BankError(`${operation} answered HTTP ${status}`, {
    outcome: 'refused',
    retryable,
    operation,
    httpStatus: status,
  });
}
