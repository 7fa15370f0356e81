import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Problem, type ProblemKind } from '../domain/problem.ts';
import type { Receipt } from '../webhooks/receiver.ts';
import { errorDocument } from './documents.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { answerSchemas } from './schemas.ts';

const BODY_BYTES_MAX = 64 * 1024;
/** For a whole body: a sender that is slower holds a connection and nothing else. */
const BODY_MS = 10_000;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** `POST /v1/webhooks/cards`: no token; the signature of the sender is the fence. */
export function webhookRoutes(app: FastifyInstance, deps: GatewayDeps): void {
  const { deliveries } = deps.webhooks;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_TYPE, (_request, body, done) => done(null, body));
  app.addHook('onClose', () => deliveries.close());
  const schema = {
    tags: ['webhooks'],
    summary: 'What the acquirer tells about card payments',
    description:
      'Verified as PAYOUTS_WEBHOOK_SCHEME says, and stored before the answer. The same again changes nothing.',
    security: [],
    response: answerSchemas({
      200: [z.object({}), 'stored, known before, or about no payment: it need not come again'],
      401: [errorDocument, 'nothing proves who has sent it, or no scheme is configured'],
      408: [errorDocument, 'its body did not arrive within 10 seconds'],
      413: [errorDocument, 'larger than 64 KiB'],
      415: [errorDocument, 'no JSON'],
      503: [errorDocument, 'not stored: send it again'],
    }),
  };
  app.post('/v1/webhooks/cards', { schema }, async (request, reply) => {
    const receipt = await taken(deps, request, await bodyOf(request));
    if ('refused' in receipt) {
      throw new Problem('unsigned', 'webhook-refused', 'Nothing proves who has sent this.', {
        hint: 'The log of the gateway says why.',
      });
    }
    if (receipt.taken === 'new') {
      const { event } = receipt;
      // Whatever happens from here on, the worker finds the event in the store.
      reply.raw.once('close', () => deliveries.add(event));
    }
    return reply.send({});
  });
}

async function taken({ webhooks, log }: GatewayDeps, request: FastifyRequest, body: Buffer): Promise<Receipt> {
  const { method, url: path, raw } = request;
  const { headersDistinct: headers, socket } = raw;
  try {
    return await webhooks.take({ method, path, headers, body, remoteAddress: socket.remoteAddress ?? '' });
  } catch (error) {
    log.error({ error }, 'webhook not stored');
    throw new Problem('unreachable', 'not-stored', 'This could not be stored.', { hint: 'Send it again.' });
  }
}

/** The bytes as they came: they are what was signed. */
async function bodyOf({ body, headers }: FastifyRequest): Promise<Buffer> {
  if (body === undefined || (headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Problem('unsupported-media', 'media-type-unsupported', 'A webhook is JSON without Content-Encoding.', {
      hint: '',
    });
  }
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(unread('too-slow', 'body-too-slow', 'This took too long to arrive.')),
    BODY_MS,
  );
  try {
    return await Promise.race([whole(body as Readable), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function whole(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // The stream stays whole when the loop is left: an answer must still go out on its connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) throw unread('too-large', 'too-large', 'A webhook has 64 KiB at most.');
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw unread('incomplete', 'body-incomplete', 'This did not arrive as a whole.');
  }
  return Buffer.concat(chunks);
}

/** The rest of the body is not waited for: the connection ends with the answer. */
const unread = (kind: ProblemKind, code: string, message: string): Problem => new Problem(kind, code, message);
