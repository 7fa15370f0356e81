import { ENVELOPE_CODES } from '../../bank/schemas/envelope.ts';
import { catchUp } from '../catch-up.ts';
import { type Answer, json } from '../http/answer.ts';
import type { Call, Routes } from '../http/router.ts';
import { read } from '../requests.ts';
import type { Sandbox } from '../sandbox.ts';
import { type CardPaymentRow, requireCardPayment, toCardPayment } from './payment-row.ts';
import { createCardPayment, resumeCardPayment } from './payments.ts';
import { firstAnswer, keepAnswer } from './replay.ts';
import { createBody, isResume, requestIdBody, resumeBody, setUpBody } from './requests.ts';
import { scenarioNamed } from './scenarios.ts';
import { setUpSession } from './sessions.ts';

/** An operation of the card acquiring endpoints (interface section 4). `call.body` is a JSON object. */
type AcquiringRoute = readonly [operation: string, handle: (sandbox: Sandbox, call: Call) => Answer];

export const ACQUIRING_ROUTES: Routes<AcquiringRoute> = {
  'POST /api/v1/acq/3ds/setup': ['cards.setUp', setUp],
  'POST /api/v1/acq/payment': ['cards.create', pay],
  'GET /api/v1/acq/payment/{payment_id}': ['cards.retrieve', retrieve],
};

/** Runs an operation on the books as of now, in one transaction. Throws `Refusal`. */
export function operateAcquirer(sandbox: Sandbox, [, handle]: AcquiringRoute, call: Call): Answer {
  catchUp(sandbox);
  const answer = sandbox.books.db.transaction(() => handle(sandbox, call));
  sandbox.webhooks.wake();
  return answer;
}

function setUp(sandbox: Sandbox, { body }: Call): Answer {
  const { books, seals } = sandbox;
  const { reference_id, token } = setUpSession(books, seals, read(setUpBody, body));
  const url = `${sandbox.baseUrl()}/3ds/fingerprint/${token}`;
  return shaped(sandbox, { reference_id, data_collection_info: { url, token } });
}

/** How long the answer is delayed after the webhook in the scenario `webhook-first`. */
const WEBHOOK_FIRST_MS = 1_000;

/** Create and resume have the same path (interface section 4, "entry point for all card transactions"). */
function pay(sandbox: Sandbox, { body }: Call): Answer {
  const { merchant_request_id: requestId } = read(requestIdBody, body);
  const known = firstAnswer(sandbox, requestId, body);
  if (known !== undefined) return json(200, JSON.parse(known));
  const resumes = isResume(body);
  const row = resumes
    ? resumeCardPayment(sandbox, read(resumeBody, body))
    : createCardPayment(sandbox, read(createBody, body));
  const answer = answerOf(sandbox, row);
  keepAnswer(sandbox, requestId, body, answer.body.toString());
  const answersLater = !resumes && scenarioNamed(row.scenario).webhook === 'before-answer';
  return answersLater ? { ...answer, notBeforeMs: WEBHOOK_FIRST_MS } : answer;
}

function retrieve(sandbox: Sandbox, { params }: Call): Answer {
  return answerOf(sandbox, requireCardPayment(sandbox.books.db, params.payment_id ?? ''));
}

const answerOf = (sandbox: Sandbox, row: CardPaymentRow): Answer =>
  shaped(sandbox, toCardPayment(row, sandbox.baseUrl()));

/** The interface does not show the shape of these answers: the profile decides whether they have the banking envelope. */
function shaped({ books }: Sandbox, data: object): Answer {
  return json(200, books.profile.cardEnvelope === 'bare' ? data : { code: 0, msg: ENVELOPE_CODES[0], data });
}
