import type { IncomingMessage } from 'node:http';
import { ENVELOPE_CODES } from '../../bank/schemas/envelope.ts';
import { catchUp } from '../catch-up.ts';
import { type Answer, json, readBody } from '../http/answer.ts';
import { type Call, matchRoute, type Routes, type Target } from '../http/routes.ts';
import { read } from '../requests.ts';
import type { Sandbox } from '../sandbox.ts';
import { backToShop, cardsPage, checkoutPage, fingerprintPage, notFoundPage, verifyPage } from './pages/pages.ts';
import { type CardPaymentRow, cardPaymentOfToken, requireCardPayment, toCardPayment } from './payment-row.ts';
import {
  createCardPayment,
  decideChallenge,
  firstAnswer,
  keepAnswer,
  noteFingerprint,
  resumeCardPayment,
  setUpSession,
} from './payments.ts';
import { createBody, isResume, requestIdBody, resumeBody, setUpBody } from './requests.ts';
import { scenarioNamed } from './scenarios.ts';

/** A page for the cardholder's browser: no token, no faults. `form`: the posted fields. */
type PageRoute = (sandbox: Sandbox, token: string, form: URLSearchParams) => Answer;

const PAGE_ROUTES: Routes<PageRoute> = {
  'GET /cards': cardsPage,
  'GET /checkout': checkoutPage,
  'GET /3ds/fingerprint/{token}': ({ books }, token) =>
    noteFingerprint(books, token) ? fingerprintPage() : notFoundPage(),
  'GET /3ds/verify/{token}': ({ books }, token) => {
    const row = cardPaymentOfToken(books.db, token);
    return row === undefined ? notFoundPage() : verifyPage(row);
  },
  'POST /3ds/verify/{token}': verify,
};

function verify(sandbox: Sandbox, token: string, form: URLSearchParams): Answer {
  const { db } = sandbox.books;
  const row = cardPaymentOfToken(db, token);
  if (row === undefined) return notFoundPage();
  const outcome = form.get('outcome');
  if (outcome !== 'confirm' && outcome !== 'cancel') return { ...verifyPage(row), status: 400 };
  db.transaction(() => decideChallenge(sandbox, row, outcome === 'confirm'));
  sandbox.webhooks.wake();
  return backToShop(row);
}

/** The answer to a request for a page; undefined if this path has none. */
export async function answerPage(
  sandbox: Sandbox,
  request: IncomingMessage,
  { method, pathname }: Target,
): Promise<Answer | undefined> {
  const match = matchRoute(PAGE_ROUTES, method, pathname);
  if (match === undefined) return undefined;
  const form = new URLSearchParams(await readBody(request));
  catchUp(sandbox);
  return match.route(sandbox, match.params.token ?? '', form);
}

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
