import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readiness } from './documents.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { answerSchemas } from './schemas.ts';

/** What answers in time is up. */
const PATIENCE_MS = 3_000;

/** For so long an answer stands. */
const READY_FOR_MS = 2_000;

const TAGS = ['health'];

/** For whatever keeps the gateway up; they tell nothing about payouts and ask for no token. */
export function healthRoutes(app: FastifyInstance, { ready, warnings, log, now }: GatewayDeps): void {
  const alive = z.object({ status: z.literal('ok') });
  const response = answerSchemas({ 200: [alive, 'the process answers'] });
  app.get('/healthz', { schema: { tags: TAGS, summary: 'Alive', response } }, async () => ({ status: 'ok' }));

  const isUp = async (name: keyof GatewayDeps['ready']): Promise<boolean> => {
    try {
      const late = pause(PATIENCE_MS, undefined, { ref: false }).then(() =>
        Promise.reject(new Error('no answer in time')),
      );
      await Promise.race([ready[name](), late]);
      return true;
    } catch (error) {
      log.warn({ error, part: name }, 'a part is down');
      return false;
    }
  };
  let asked: { at: number; up: Promise<boolean[]> } | undefined;
  const answers = answerSchemas({ 200: [readiness, 'files can be taken'], 503: [readiness, 'a part is down'] });
  app.get('/readyz', { schema: { tags: TAGS, summary: 'Ready', response: answers } }, async (_request, reply) => {
    // Asked for by anybody: however often, each part is asked once in a while.
    if (asked === undefined || now() - asked.at > READY_FOR_MS) {
      asked = { at: now(), up: Promise.all([isUp('store'), isUp('temporal'), isUp('bank')]) };
    }
    const [store, temporal, bank] = await asked.up;
    const shown = (up = false): string => (up ? 'up' : 'down');
    const parts = { store: shown(store), temporal: shown(temporal), bank: shown(bank) };
    const all = store && temporal && bank;
    return reply.code(all ? 200 : 503).send({ schemaVersion: 1, ready: all, parts, warnings: warnings() });
  });
}
