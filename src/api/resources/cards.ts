import type { Calls } from '../calls.ts';
import { type CardRules, judgePayment, judgeRaw, judgeSession, noticeOf } from '../card-answers.ts';
import { type CardFields, writeFields } from '../card-fields.ts';
import type { CardDetails, Cards, CreateRequest, ResumeRequest, SetUpRequest } from '../cards.ts';

const SETUP = '/api/v1/acq/3ds/setup';
const PAYMENTS = '/api/v1/acq/payment';
const PAYMENT = `${PAYMENTS}/{payment_id}`;

/** Card acquiring (interface section 4). Card data of a request is in its body and nowhere else. */
export function cardsResource({ read, send }: Calls, rules: CardRules): Cards {
  const { fields } = rules;
  return {
    /** POST /api/v1/acq/3ds/setup */
    setUp: (request, options) =>
      send({ method: 'POST', path: SETUP, body: setUpBody(fields, request) }, judgeSession(rules), options),

    /** POST /api/v1/acq/payment: a new payment. */
    create: (request, options) =>
      send({ method: 'POST', path: PAYMENTS, body: createBody(fields, request) }, judgePayment(rules), options),

    /** POST /api/v1/acq/payment with `payment_id`: resumes after a challenge. */
    resume: (request, options) =>
      send({ method: 'POST', path: PAYMENTS, body: resumeBody(fields, request) }, judgePayment(rules), options),

    /** GET /api/v1/acq/payment/{payment_id} */
    retrieve: (paymentId, options) =>
      read({ path: PAYMENT, ids: { payment_id: paymentId } }, judgePayment(rules, paymentId), options),

    retrieveRaw: (paymentId, options) => read({ path: PAYMENT, ids: { payment_id: paymentId } }, judgeRaw, options),

    noticeOf: (body) => noticeOf(fields, body),
  };
}

const setUpBody = (fields: CardFields, { amount, currency, card }: SetUpRequest): object =>
  writeFields<'setup'>(fields.setup, { amount, currency, ...cardValues(card) });

function createBody(fields: CardFields, request: CreateRequest): object {
  const { billing = {}, deviceInfo = {} } = request;
  return writeFields<'create'>(fields.create, {
    merchant_request_id: request.merchantRequestId,
    payment_type: request.paymentType,
    amount: request.amount,
    currency: request.currency,
    ...cardValues(request.card),
    'three_ds_info.reference_id': request.referenceId,
    return_url: request.returnUrl,
    'billing.email': billing.email,
    'billing.address.line1': billing.line1,
    'billing.address.line2': billing.line2,
    'billing.address.city': billing.city,
    'billing.address.state': billing.state,
    'billing.address.postcode': billing.postcode,
    'billing.address.country': billing.country,
    'device_info.ip': deviceInfo.ip,
    'device_info.language': deviceInfo.language,
    'device_info.screen_width': deviceInfo.screenWidth,
    'device_info.screen_height': deviceInfo.screenHeight,
    'device_info.user_agent': deviceInfo.userAgent,
  });
}

const resumeBody = (fields: CardFields, request: ResumeRequest): object =>
  writeFields<'resume'>(fields.resume, {
    merchant_request_id: request.merchantRequestId,
    payment_type: request.paymentType,
    amount: request.amount,
    currency: request.currency,
    payment_id: request.paymentId,
    reference_id: request.referenceId,
  });

const cardValues = (card: CardDetails) => ({
  'card.number': card.number,
  'card.expiry_month': card.expiryMonth,
  'card.expiry_year': card.expiryYear,
  'card.cvv': card.cvv,
  'card.holder_name': card.holderName,
});
