import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { takeDueSteps } from '../order-life.ts';
import { badRequest } from '../refusal.ts';
import type { Sandbox } from '../sandbox.ts';
import { type Answer, failure, NOT_FOUND, success, UNAUTHORIZED } from './answer.ts';
import { BANKING_ROUTES, type BankingRoute } from './banking-routes.ts';
import { parseBody, readBody } from './body.ts';
import { type Reply, replyUnder } from './fault-reply.ts';
import { type Call, matchRoute, type Target } from './router.ts';

/** What a request asks for, once its route is known. */
interface Job {
  operation: string;
  needsToken: boolean;
  /** Throws `Refusal`. */
  run(body: Record<string, unknown>): Answer;
}

/** One request to the bank: route, faults that need no body, body, token, other faults, operation. */
export async function answerBanking(sandbox: Sandbox, request: IncomingMessage, target: Target): Promise<Reply> {
  const job = jobOf(sandbox, request, target);
  if (job === undefined) return { answer: NOT_FOUND };
  if (sandbox.faults.beforeBody(job.operation) !== undefined) return 'hang-up';
  const text = await readBody(request);
  if (job.needsToken && !sandbox.tokens.accepts(request.headers.authorization)) return { answer: UNAUTHORIZED };
  const operate = (): Answer => {
    try {
      return job.run(parseBody(text));
    } catch (error) {
      return failure(error, sandbox.books.profile);
    }
  };
  const fault = sandbox.faults.withBody(job.operation, text);
  return fault === undefined ? { answer: operate() } : replyUnder(fault, operate, sandbox.books.profile);
}

function jobOf(sandbox: Sandbox, request: IncomingMessage, { method, pathname, query }: Target): Job | undefined {
  if (method === 'POST' && pathname === '/v1/auth') {
    return { operation: 'auth', needsToken: false, run: (body) => authenticate(sandbox, body) };
  }
  const match = matchRoute<BankingRoute>(BANKING_ROUTES, method, pathname);
  if (match === undefined) return undefined;
  const { route, params } = match;
  const run = (body: Record<string, unknown>): Answer => {
    requireJson(request);
    return operateOn(sandbox, route, { params, query, body });
  };
  return { operation: route.operation, needsToken: true, run };
}

/** Runs an operation at the books as they stand now; a write is one transaction. Throws `Refusal`. */
function operateOn({ books }: Sandbox, route: BankingRoute, call: Call): Answer {
  takeDueSteps(books);
  if (route.method === 'GET') return success(route.handle(books, call));
  return success(books.db.transaction(() => route.handle(books, call)));
}

/** "Content-Type: application/json (required)" on every banking request (interface section 1). */
function requireJson(request: IncomingMessage): void {
  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  if (mediaType.trim().toLowerCase() !== 'application/json') {
    throw badRequest('the header Content-Type: application/json is required');
  }
}

const credentials = z.object({ api_key: z.string(), api_secret: z.string() });

/** Body and token field are not shown by the interface (section 5): `{api_key, api_secret}` and `access_token`. */
function authenticate({ tokens }: Sandbox, body: Record<string, unknown>): Answer {
  const given = credentials.safeParse(body);
  const token = given.success ? tokens.issue(given.data.api_key, given.data.api_secret) : undefined;
  return token === undefined ? UNAUTHORIZED : success(token);
}
