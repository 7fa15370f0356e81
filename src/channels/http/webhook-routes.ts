import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Receipt } from '../../bank/webhooks/receiver.ts';
import { Problem } from '../../domain/problem.ts';
import { whenOver } from './admission.ts';
import { smallBody } from './bodies.ts';
import { answerSchemas, errorDocument } from './documents.ts';
import type { Gateway } from './gateway-app.ts';
import { OPEN } from './route-access.ts';

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** `POST /v1/webhooks/cards`: no token; authenticated by the sender's signature. */
export function webhookRoutes(app: FastifyInstance, gateway: Gateway): void {
  const { queue } = gateway.webhooks;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_TYPE, (_request, body, done) => done(null, body));
  app.addHook('onClose', () => queue.close());
  const schema = {
    operationId: 'receiveCardWebhook',
    tags: ['webhooks'],
    summary: 'Events of the acquirer about card payments',
    description:
      'Verified according to PAYOUTS_WEBHOOK_SCHEME, and stored before the answer. Repeating it changes nothing.',
    security: [],
    response: answerSchemas({
      200: [z.object({}), 'stored, already known, or not about a payment: do not send it again'],
      401: [errorDocument, 'its sender could not be verified, or no scheme is configured'],
      408: [errorDocument, 'its body did not arrive within 10 seconds'],
      413: [errorDocument, 'larger than 64 KiB'],
      415: [errorDocument, 'no JSON'],
      503: [errorDocument, 'not stored: send it again'],
    }),
  };
  app.post('/v1/webhooks/cards', { schema, ...OPEN }, async (request, reply) => {
    const receipt = await receive(gateway, request, await bodyOf(request));
    if ('refused' in receipt) {
      throw new Problem('unsigned', 'webhook-refused', 'The sender of this webhook could not be verified.', {
        hint: 'The log of the gateway has the reason.',
      });
    }
    if (receipt.taken === 'new') {
      const { event } = receipt;
      // If delivery fails from here on, the worker finds the event in the store.
      whenOver(reply, () => queue.add(event));
    }
    return reply.send({});
  });
}

async function receive({ webhooks, log }: Gateway, request: FastifyRequest, body: Buffer): Promise<Receipt> {
  const { headersDistinct: headers, socket } = request.raw;
  try {
    return await webhooks.take({ headers, body, remoteAddress: socket.remoteAddress ?? '' });
  } catch (error) {
    log.error({ error }, 'webhook not stored');
    throw new Problem('unreachable', 'not-stored', 'This could not be stored.', { hint: 'Send it again.' });
  }
}

/** The raw bytes, since they are what was signed. */
async function bodyOf({ body, headers }: FastifyRequest): Promise<Buffer> {
  if (body === undefined || (headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Problem('unsupported-media', 'media-type-unsupported', 'A webhook is JSON without Content-Encoding.', {
      hint: 'Send it with Content-Type: application/json.',
    });
  }
  return smallBody(body as Readable);
}
