import type { IncomingMessage } from 'node:http';
import { leadsHere } from '../../domain/loopback.ts';
import { ACQUIRER_TEST_ROUTES } from '../acquirer/test-routes.ts';
import { catchUp } from '../catch-up.ts';
import { Refusal } from '../refusal.ts';
import type { Sandbox } from '../sandbox.ts';
import { type Answer, FORBIDDEN, json, NOT_FOUND } from './answer.ts';
import { parseBody, readBody } from './body.ts';
import { matchRoute, type Target } from './router.ts';
import { TEST_ROUTES } from './test-routes.ts';

const ROUTES = { ...TEST_ROUTES, ...ACQUIRER_TEST_ROUTES };

/** One request to the test-only routes: plain JSON, no token, no faults; only for loopback peers, and no foreign pages. */
export async function answerTest(sandbox: Sandbox, request: IncomingMessage, target: Target): Promise<Answer> {
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
