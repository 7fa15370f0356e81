import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { GatewayDeps } from './gateway-deps.ts';

/** Refusals of signed decisions have their audit entry already. */
const KEPT_ELSEWHERE = 'decision-refused';

/** Audits requests that the caller is not allowed to make, under the subject in the path. Reading is not audited. */
export function auditForbidden(app: FastifyInstance, { store, now, log }: Pick<GatewayDeps, 'store' | 'now' | 'log'>) {
  app.addHook('onError', async ({ method, caller, params, routeOptions }, _reply, error: Error) => {
    if (method === 'GET' || method === 'HEAD' || caller?.name === undefined) return;
    if (!(error instanceof Problem) || error.kind !== 'forbidden' || error.code === KEPT_ELSEWHERE) return;
    const { reference, id } = params as { reference?: string; id?: string };
    const route = routeOptions.url ?? '';
    const detail = { route, why: error.message };
    const entry = { at: now(), actor: caller.name, action: 'refused', subject: reference ?? id ?? 'gateway', detail };
    await store
      .audit(entry)
      .catch((failure: unknown) => log.error({ error: failure }, 'a refusal could not be written to the audit log'));
  });
}
