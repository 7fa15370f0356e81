import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseWorkflowId } from '../../domain/names.ts';
import {
  answerCodec,
  CODEC_BYTES_MAX,
  type CodecOperation,
  codecContext,
  WORKFLOW_HEADER,
} from '../../platform/codec/codec-server.ts';
import { admitCallers } from './admission.ts';
import { codecOf, type Gateway } from './gateway-app.ts';
import { accessOf, allowOrigin, type CallerAccess, type Cors, OPEN, preflight } from './route-access.ts';

const OPERATIONS: readonly CodecOperation[] = ['encode', 'decode'];
/**
 * A payload does not show whose it is, so both need access to everything; messages in Temporal are taken to come from us, so
 * encoding them is for an operator.
 */
const ACCESS: Readonly<Record<CodecOperation, CallerAccess>> = {
  encode: { roles: ['operator'], scope: 'whole' },
  decode: { roles: ['operator', 'auditor'], scope: 'whole' },
};
/** Web UI and `temporal` command put the namespace into the path if the endpoint is configured so. */
const PREFIXES = ['/codec', '/codec/:namespace'];

/**
 * The codec server for the Temporal Web UI and the `temporal` command: decodes payloads, and encodes them for the workflow that
 * the request names. Without a policy, for every caller of the gateway. Encoding is audited.
 */
export function codecRoutes(app: FastifyInstance, gateway: Gateway): void {
  const { now, store } = gateway;
  const codec = codecOf(gateway);
  if (codec === undefined) return;
  const cors: Cors = {
    origins: codec.origins,
    methods: 'POST',
    headers: `authorization, content-type, x-namespace, ${WORKFLOW_HEADER}`,
  };
  const auditEncoded = ({ caller }: FastifyRequest, workflowId: string, count: number): Promise<void> =>
    store.audit({
      at: now(),
      actor: caller.name ?? 'gateway',
      action: 'payloads encoded',
      subject: parseWorkflowId(workflowId)?.key ?? workflowId,
      detail: { workflow: workflowId, payloads: `${count}` },
    });
  const paths = PREFIXES.flatMap((prefix) =>
    OPERATIONS.map((operation) => ({ path: `${prefix}/${operation}`, operation })),
  );
  for (const { path } of paths) {
    app.options(path, { schema: { hide: true }, ...OPEN }, (request, reply) => preflight(request, reply, cors));
  }
  app.register(async (scope) => {
    // The Web UI has another origin.
    await admitCallers(scope, gateway, cors.origins);
    for (const { path, operation } of paths) {
      // Temporal describes it: https://docs.temporal.io/codec-server
      const schema = { hide: true };
      const access = accessOf(ACCESS[operation]);
      scope.post(path, { schema, ...access, bodyLimit: CODEC_BYTES_MAX }, async (request, reply) => {
        allowOrigin(request, reply, cors.origins);
        const context = codecContext(request.headers, (request.params as { namespace?: string }).namespace);
        const answer = answerCodec(codec, operation, context, request.body);
        const count = operation === 'encode' ? (answer.payloads?.length ?? 0) : 0;
        if (context.workflowId && count > 0) await auditEncoded(request, context.workflowId, count);
        return answer;
      });
    }
  });
}
