import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  answerCodec,
  CODEC_BYTES_MAX,
  type CodecOperation,
  codecPlace,
  WORKFLOW_HEADER,
} from '../codec/codec-server.ts';
import { limitAtOnce } from './at-once.ts';
import { callerOf } from './callers.ts';
import { allowOrigin, type Cors, preflight } from './cors.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { rateLimitOf } from './rate-limit.ts';
import { answerSchemas } from './schemas.ts';

const OPERATIONS: readonly CodecOperation[] = ['encode', 'decode'];
/** The Web UI and the `temporal` command put the namespace into the path where the endpoint says so. */
const PREFIXES = ['/codec', '/codec/:namespace'];
const payloads = z.object({ payloads: z.array(z.object({})) });

/**
 * The codec server for the Temporal Web UI and the `temporal` command: whoever may call the gateway may read payloads, and write
 * them for a workflow that the request names.
 */
export function codecRoutes(app: FastifyInstance, deps: GatewayDeps): void {
  const { codec, access, now } = deps;
  if (codec === undefined) return;
  const cors: Cors = {
    origins: codec.origins,
    methods: 'POST',
    headers: `authorization, content-type, x-namespace, ${WORKFLOW_HEADER}`,
    setting: 'PAYOUTS_UI_URL',
  };
  const enter = async (request: FastifyRequest): Promise<void> => {
    // Pages of the UI are of another origin by nature.
    request.caller = callerOf(request, access(), now(), cors.origins);
  };
  const paths = PREFIXES.flatMap((prefix) =>
    OPERATIONS.map((operation) => ({ path: `${prefix}/${operation}`, operation })),
  );
  for (const { path } of paths) {
    app.options(path, { schema: { hide: true } }, (request, reply) => preflight(request, reply, cors));
  }
  const response = answerSchemas({ 200: [payloads, 'the payloads, in their order'] });
  app.register(async (scope) => {
    scope.addHook('onRequest', enter);
    limitAtOnce(scope, deps.atOnce);
    await scope.register(rateLimit, rateLimitOf(deps.perMinute));
    for (const { path, operation } of paths) {
      const schema = { tags: ['codec'], summary: `Payloads of Temporal: ${operation}`, response };
      scope.post(path, { schema, bodyLimit: CODEC_BYTES_MAX }, async (request, reply) => {
        allowOrigin(request, reply, cors.origins);
        return answerCodec(codec.keys, operation, codecPlace(request.headers), request.body);
      });
    }
  });
}
