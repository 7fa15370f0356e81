import type { Calls } from '../calls.ts';
import { type CardRules, judgePayment, judgeRaw, judgeSession, noticeOf } from '../cards/card-answers.ts';
import { type CardFields, writeFields } from '../cards/card-fields.ts';
import type { Cards, CreateRequest, PaymentIntent } from '../cards/cards.ts';

const SETUP = '/api/v1/acq/3ds/setup';
const PAYMENTS = '/api/v1/acq/payment';
const PAYMENT = `${PAYMENTS}/{payment_id}`;

/** Card acquiring (interface section 4). Card data of a request is in its body and nowhere else. */
export function cardsResource({ read, send }: Calls, rules: CardRules): Cards {
  const { fields } = rules;
  return {
    setUp: ({ amount, currency, card }, options) => {
      const body = writeFields<'setup'>(fields.setup, { amount, currency, ...under('card', card) });
      return send({ method: 'POST', path: SETUP, body }, judgeSession(rules), options);
    },

    create: (request, options) =>
      send({ method: 'POST', path: PAYMENTS, body: createBody(fields, request) }, judgePayment(rules), options),

    /** POST /api/v1/acq/payment with `payment_id`: resumes after a challenge. */
    resume: ({ paymentId: payment_id, referenceId: reference_id, ...intent }, options) => {
      const body = writeFields<'resume'>(fields.resume, { ...intentOf(intent), payment_id, reference_id });
      return send({ method: 'POST', path: PAYMENTS, body }, judgePayment(rules), options);
    },

    retrieve: (paymentId, options) =>
      read({ path: PAYMENT, ids: { payment_id: paymentId } }, judgePayment(rules, paymentId), options),

    retrieveRaw: (paymentId, options) => read({ path: PAYMENT, ids: { payment_id: paymentId } }, judgeRaw, options),

    noticeOf: (body) => noticeOf(fields, body),
  };
}

function createBody(fields: CardFields, request: CreateRequest): object {
  const { email, ...address } = request.billing ?? {};
  return writeFields<'create'>(fields.create, {
    ...intentOf(request),
    ...under('card', request.card),
    'three_ds_info.reference_id': request.referenceId,
    return_url: request.returnUrl,
    'billing.email': email,
    ...under('billing.address', address),
    ...under('device_info', request.deviceInfo ?? {}),
  });
}

const intentOf = ({ merchantRequestId, paymentType, amount, currency }: PaymentIntent) => ({
  merchant_request_id: merchantRequestId,
  payment_type: paymentType,
  amount,
  currency,
});

/** Members of an object as fields of a message. */
const under = <Place extends string, Members extends object>(place: Place, members: Members) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`${place}.${name}`, value])) as {
    [Name in keyof Members & string as `${Place}.${Name}`]: Members[Name];
  };
