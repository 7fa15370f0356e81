import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type CurrentSpan, duringSpan, spanOf, traceparentOf } from '../../platform/telemetry/current-span.ts';
import type { RequestSpan, Tracing } from '../../platform/telemetry/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Which request this is, for its sender, its answer and every line of the log. */
    ids: CurrentSpan & {
      /** UUID, made here: what a sender chooses may be anything. */
      requestId: string;
    };
  }
}

/** Asked every few seconds, and no part of anything. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Gives every request its ids: the first thing that happens to it. They are of the sender's trace, or of a new one, and the
 * header `traceparent` of the answer names this request in it.
 */
export function identifyRequests(app: FastifyInstance, tracing: Tracing | undefined): void {
  const spans = new WeakMap<object, RequestSpan>();
  app.decorateRequest('ids');
  app.addHook('onRequest', (request, reply, done) => {
    const sender = spanOf(request.headers.traceparent);
    const isProbe = PROBES.has(request.routeOptions.url ?? '');
    const span = isProbe ? undefined : tracing?.request(request.method, sender);
    if (span !== undefined) spans.set(request, span);
    request.ids = { ...(span?.ids ?? untraced(sender)), requestId: randomUUID() };
    reply.headers({ 'x-request-id': request.ids.requestId, traceparent: traceparentOf(request.ids) });
    duringSpan(request.ids, done);
  });
  // The context is lost where a body is read.
  app.addHook('preValidation', (request, _reply, done) => duringSpan(request.ids, done));
  app.addHook('onResponse', async (request, reply) =>
    spans.get(request)?.answered(request.routeOptions.url, reply.statusCode),
  );
}

/** Its span is sent nowhere. */
const untraced = (sender: CurrentSpan | undefined): CurrentSpan => ({
  traceId: sender?.traceId ?? randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  isSampled: false,
});
