import { fastify } from 'fastify';
import { cardPageRoutes, cardRoutes } from '../../src/channels/http/card-routes.ts';
import type { Gateway } from '../../src/channels/http/gateway-app.ts';
import { operationRoutes } from '../../src/channels/http/operation-routes.ts';
import { guardRoutes, type RouteAccess } from '../../src/channels/http/route-access.ts';
import { webhookRoutes } from '../../src/channels/http/webhook-routes.ts';
import { loadConfig } from '../../src/platform/config.ts';

const app = fastify()
  .setValidatorCompiler(() => () => true)
  .setSerializerCompiler(() => (document) => JSON.stringify(document));
const guarded = guardRoutes(app);
/** Routes are added and none is called, so what they work with is not needed. */
const gateway = {
  config: loadConfig({}),
  stack: { apiUrl: 'http://127.0.0.1' },
  webhooks: { queue: {} },
} as unknown as Gateway;
for (const add of [cardRoutes, cardPageRoutes, operationRoutes, webhookRoutes]) {
  app.register(async (scope) => add(scope, gateway));
}
await app.ready();

/** Routes about card payments: `POST /v1/card-payments/{id}/card`. */
export const CARD_ROUTES = guarded
  .filter(({ method, url }) => url.includes('card') && !['HEAD', 'OPTIONS'].includes(method))
  .map(({ method, url, access }) => ({ route: `${method} ${url.replace(/:(\w+)/g, '{$1}')}`, by: byOf(access) }));

function byOf(access: RouteAccess): string {
  if (access === 'open') return 'acquirer';
  return 'or' in access ? 'both' : access.roles.join() === 'operator' ? 'operator' : 'backend';
}
