import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { AuditEntry } from '../../store/store.ts';
import { MINUTE_MS } from './failed-attempts.ts';
import type { Gateway } from './gateway-app.ts';

/** Refusals of signed decisions have their audit entry already. */
const KEPT_ELSEWHERE = 'decision-refused';

/**
 * Audits requests that the caller is not allowed to make, under the subject in the path: the first of a caller on a route at once,
 * those of the next minute together. Reading is not audited.
 */
export function auditForbidden(app: FastifyInstance, { store, now, log }: Pick<Gateway, 'store' | 'now' | 'log'>) {
  /** By caller and route: those that were not told yet. */
  const more = new Map<string, { entry: AuditEntry; count: number }>();
  let timer: NodeJS.Timeout | undefined;
  const write = (entry: AuditEntry): Promise<void> =>
    store
      .audit(entry)
      .catch((failure: unknown) => log.error({ error: failure }, 'a refusal could not be written to the audit log'));
  const tellMore = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const told = [...more.values()].filter(({ count }) => count > 0);
    more.clear();
    for (const { entry, count } of told) {
      await write({ ...entry, at: now(), detail: { ...entry.detail, count: `${count}` } });
    }
  };
  app.addHook('onClose', tellMore);
  app.addHook('onError', async ({ method, caller, params, routeOptions }, _reply, error: Error) => {
    if (method === 'GET' || method === 'HEAD' || caller?.name === undefined) return;
    if (!(error instanceof Problem) || error.kind !== 'forbidden' || error.code === KEPT_ELSEWHERE) return;
    const { reference, id } = params as { reference?: string; id?: string };
    const route = routeOptions.url ?? '';
    const detail = { route, why: error.message };
    const entry = { at: now(), actor: caller.name, action: 'refused', subject: reference ?? id ?? 'gateway', detail };
    const key = JSON.stringify([caller.name, route]);
    const before = more.get(key);
    more.set(key, { entry, count: before === undefined ? 0 : before.count + 1 });
    timer ??= setTimeout(() => void tellMore(), MINUTE_MS).unref();
    if (before === undefined) await write(entry);
  });
}
