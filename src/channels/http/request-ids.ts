import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { duringRequest } from '../../platform/log.ts';

/** https://www.w3.org/TR/trace-context/#traceparent-header: version, trace, parent and flags; a later version may go on behind them. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:$|-)/;

/** Which request this is, for its sender, its answer and every line of the log. */
interface RequestIds {
  /** UUID, made here: what a sender chooses may be anything. */
  requestId: string;
  /** Of the sender's trace, or a new one. */
  traceId: string;
  /** The header of the answer: the same trace, and this request in it. */
  traceparent: string;
}

function idsOf({ headers }: Pick<FastifyRequest, 'headers'>): RequestIds {
  const given = headers.traceparent;
  const [, traceId = randomBytes(16).toString('hex'), flags = '00'] =
    (typeof given === 'string' ? TRACEPARENT.exec(given) : null) ?? [];
  // Only the flags that level 1 defines are passed on.
  const kept = (Number.parseInt(flags, 16) & 1).toString(16).padStart(2, '0');
  const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-${kept}`;
  return { requestId: randomUUID(), traceId, traceparent };
}

declare module 'fastify' {
  interface FastifyRequest {
    ids: RequestIds;
  }
}

/** Gives every request its ids: the first thing that happens to it. */
export function identifyRequests(app: FastifyInstance): void {
  app.decorateRequest('ids');
  app.addHook('onRequest', (request, reply, done) => {
    const ids = idsOf(request);
    request.ids = ids;
    reply.headers({ 'x-request-id': ids.requestId, traceparent: ids.traceparent });
    duringRequest(ids, done);
  });
  // The context is lost where a body is read.
  app.addHook('preValidation', (request, _reply, done) => duringRequest(request.ids, done));
}
