import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { leadsHere } from '../../domain/loopback.ts';
import { ACQUIRING_ROUTES, answerPage, operateAcquirer } from '../acquirer/acquirer-routes.ts';
import { withoutCard } from '../acquirer/card.ts';
import type { Books } from '../bank/books.ts';
import { findOrder } from '../bank/order-book.ts';
import { catchUp } from '../catch-up.ts';
import { answerCheck } from '../check-provider.ts';
import { deliver, type Operation, type Reply, replyUnder } from '../faults/fault-reply.ts';
import { type FaultEffect, referenceOf } from '../faults/faults.ts';
import { badRequest, Refusal } from '../requests.ts';
import type { LoggedPost, Sandbox } from '../sandbox.ts';
import {
  type Answer,
  BodyTooLarge,
  FORBIDDEN,
  failure,
  json,
  NOT_FOUND,
  parseBody,
  readBody,
  send,
  success,
  TOO_LARGE,
  UNAUTHORIZED,
} from './answer.ts';
import { BANKING_ROUTES, matchRoute, queryOf, type Target } from './routes.ts';
import { ACQUIRER_TEST_ROUTES, TEST_ROUTES } from './test-routes.ts';

interface Job {
  operation: string;
  needsToken: boolean;
  orderId?: string | undefined;
  /** The part of the body that may be logged or otherwise stored. */
  shown(body: string): string;
  /** Runs as of the time of `sandbox.books`. Throws `Refusal`. */
  run(sandbox: Sandbox, body: Record<string, unknown>): Answer;
}

/** One request to the bank or the acquirer: route, faults before the body, body, token, other faults, operation. */
async function answerApi(sandbox: Sandbox, request: IncomingMessage, target: Target): Promise<Reply> {
  const job = jobOf(request, target);
  if (job === undefined) return { answer: NOT_FOUND };
  if (sandbox.faults.beforeBody(job.operation) !== undefined) return 'hang-up';
  const body = await readBody(request);
  if (job.needsToken && !sandbox.tokens.accepts(request.headers.authorization)) return { answer: UNAUTHORIZED };
  const { profile } = sandbox.books;
  const { name, effect } = faultOf(sandbox, job, target, job.shown(body));
  const at = sandbox.books.now();
  const { method, pathname: path } = target;
  const isLogged = method === 'POST' && job.operation !== 'auth';
  const post = isLogged
    ? sandbox.posts.add({ at, operation: job.operation, path, body: job.shown(body), fault: name })
    : undefined;
  const operate = (present: Sandbox): Answer => {
    try {
      const answer = job.run(present, parseBody(body));
      if (post !== undefined) noteExecution(post, answer, present.books.now());
      return answer;
    } catch (error) {
      return failure(error, profile);
    }
  };
  const operation: Operation = {
    now: () => operate(sandbox),
    later: (ms) => {
      sandbox.lateCommits.add(at + ms, (then) => {
        operate({ ...sandbox, books: { ...sandbox.books, now: () => then } });
      });
      sandbox.webhooks.wake();
    },
  };
  const reply = effect === undefined ? { answer: operation.now() } : replyUnder(effect, operation, profile);
  if (post !== undefined) post.answered = answeredBy(reply);
  return reply;
}

/** The fault for a request after reading it: a scripted one, else one of the plan. */
function faultOf(
  sandbox: Sandbox,
  job: Job,
  target: Target,
  body: string,
): { name: string | null; effect?: FaultEffect } {
  const { operation } = job;
  const scripted = sandbox.faults.withBody(operation, body);
  if (scripted !== undefined) return { name: scripted.kind, effect: scripted };
  const read = target.method === 'GET';
  const subject = read ? operation : subjectOf(sandbox, job, body);
  return sandbox.faultPlan?.faultFor({ operation, read, subject }) ?? { name: null };
}

type Made = Partial<Record<'order_id' | 'beneficiary_id' | 'payment_id' | 'reference_id', string>>;

/** The answer is an envelope, or the acquirer's bare one. */
function noteExecution(post: LoggedPost, { value }: Answer, at: number): void {
  const { data, ...bare } = value as Made & { data?: Made };
  const { order_id, beneficiary_id, payment_id, reference_id } = data ?? bare;
  post.committedAt = at;
  post.madeId = order_id ?? beneficiary_id ?? payment_id ?? reference_id ?? null;
}

function answeredBy(reply: Reply): LoggedPost['answered'] {
  const answer = typeof reply === 'object' && ('answer' in reply ? reply.answer : 'drip' in reply && reply.drip);
  if (!answer) return null;
  const { code = null } = (answer.value ?? {}) as { code?: number };
  return { httpStatus: answer.status, code };
}

/** Identifies a write in the same way in every run, as order ids do not. */
function subjectOf({ books }: Sandbox, { orderId }: Job, body: string): string {
  if (orderId !== undefined) return findOrder(books.db, orderId)?.reference ?? orderId;
  return referenceOf(body) ?? body;
}

function jobOf(request: IncomingMessage, { method, pathname, query }: Target): Job | undefined {
  if (method === 'POST' && pathname === '/v1/auth') {
    return { operation: 'auth', needsToken: false, shown: asItIs, run: authenticate };
  }
  const banking = matchRoute(BANKING_ROUTES, method, pathname);
  if (banking !== undefined) {
    const { route, params } = banking;
    const [operation, handle] = route;
    const run = (sandbox: Sandbox, body: Record<string, unknown>): Answer => {
      requireJson(request);
      return operateOn(sandbox, method, (books) => handle(books, { params, query, body }));
    };
    return { operation, needsToken: true, orderId: params.order_id, shown: asItIs, run };
  }
  const acquiring = matchRoute(ACQUIRING_ROUTES, method, pathname);
  if (acquiring === undefined) return undefined;
  const { route, params } = acquiring;
  const run = (sandbox: Sandbox, body: Record<string, unknown>): Answer =>
    operateAcquirer(sandbox, route, { params, query, body });
  return { operation: route[0], needsToken: true, shown: withoutCard, run };
}

const asItIs = (body: string): string => body;

/** Runs an operation on the books as of now; a write is one transaction. Throws `Refusal`. */
function operateOn(sandbox: Sandbox, method: string, handle: (books: Books) => unknown): Answer {
  const { books } = sandbox;
  catchUp(sandbox);
  const data = method === 'GET' ? handle(books) : books.db.transaction(() => handle(books));
  return success(data, books.profile);
}

/** "Content-Type: application/json (required)" on every banking request (interface section 1). */
function requireJson(request: IncomingMessage): void {
  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  if (mediaType.trim().toLowerCase() !== 'application/json') {
    throw badRequest('the header Content-Type: application/json is required');
  }
}

const credentials = z.object({ api_key: z.string(), api_secret: z.string() });

/** The interface does not show body and token field (section 5): here `{api_key, api_secret}` and `access_token`. */
function authenticate({ books, tokens }: Sandbox, body: Record<string, unknown>): Answer {
  const given = credentials.safeParse(body);
  const token = given.success ? tokens.issue(given.data.api_key, given.data.api_secret) : undefined;
  return token === undefined ? UNAUTHORIZED : success(token, books.profile);
}

const ROUTES = { ...TEST_ROUTES, ...ACQUIRER_TEST_ROUTES };

/** One request to the test-only routes: plain JSON, no token, no faults; only for loopback peers, and no foreign pages. */
async function answerTest(sandbox: Sandbox, request: IncomingMessage, target: Target): Promise<Answer> {
  if (!sandbox.allowTestRoutes || !THIS_MACHINE.test(request.socket.remoteAddress ?? '') || !isOwn(request))
    return FORBIDDEN;
  const match = matchRoute(ROUTES, target.method, target.pathname);
  if (match === undefined) return NOT_FOUND;
  const text = await readBody(request);
  try {
    const call = { params: match.params, query: target.query, body: parseBody(text) };
    catchUp(sandbox);
    return json(
      200,
      sandbox.books.db.transaction(() => match.route(sandbox, call)),
    );
  } catch (error) {
    if (error instanceof Refusal) return json(400, { error: error.message, detail: error.detail });
    throw error;
  }
}

/** An IPv4 address may come in the form of an IPv6 one. */
const THIS_MACHINE = /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/;

/**
 * Any web page can direct a browser on this machine here: then the request has another Origin, or a Host that was made to resolve
 * here.
 */
function isOwn({ headers: { host, origin } }: IncomingMessage): boolean {
  return leadsHere(`http://${host}`) && (origin === undefined || origin === `http://${host}`);
}

export async function serve(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
    const target = { method: request.method ?? '', pathname, query: queryOf(searchParams) };
    if (pathname.startsWith('/__sandbox/')) send(response, await answerTest(sandbox, request, target));
    else {
      const page = (await answerCheck(sandbox, request, target)) ?? (await answerPage(sandbox, request, target));
      if (page === undefined) deliver(response, await answerApi(sandbox, request, target));
      else send(response, page);
    }
  } catch (error) {
    if (request.destroyed && !request.complete) return;
    if (error instanceof BodyTooLarge) {
      response.setHeader('connection', 'close');
      send(response, TOO_LARGE);
    } else {
      send(response, failure(error, sandbox.books.profile));
    }
  }
}
