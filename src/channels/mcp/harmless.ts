import { Problem } from '../../domain/problem.ts';
import { PLAN_MOVE } from '../http/operations/move-operations.ts';
import { CHANNEL_HEADER } from '../http/words.ts';

/**
 * What carries the requests of an MCP server: it sends what reads and what answers with a plan, whatever a tool asks for. Throws a
 * `Problem` for anything else. An agent has no commands: it is answered like any program that calls the API.
 */
export const harmless =
  (send: typeof fetch): typeof fetch =>
  async (address, request) => {
    const url = new URL(String(address));
    const method = request?.method ?? 'GET';
    if (method === 'GET' || (method === 'POST' && isPlan(url))) return send(url.href, asProgram(request));
    throw new Problem('forbidden', 'not-harmless', `${method} ${url.pathname} is not for agents.`, {
      hint: 'A person does this.',
    });
  };

function asProgram(request: RequestInit = {}): RequestInit {
  const headers = new Headers(request.headers);
  headers.delete(CHANNEL_HEADER);
  return { ...request, headers: Object.fromEntries(headers) };
}

function isPlan({ pathname, searchParams }: URL): boolean {
  const [first, ...more] = searchParams.getAll('dry_run');
  if (pathname.endsWith('/v1/batches')) return first === 'true' && more.length === 0;
  return pathname.endsWith(PLAN_MOVE.path);
}
