import type { FastifyInstance } from 'fastify';
import { Problem } from '../domain/problem.ts';

/** Of the requests of one caller, that many are worked on at once; a further one is refused before its body is read. */
export function limitAtOnce(app: FastifyInstance, most: number): void {
  const open = new Map<string, number>();
  app.addHook('onRequest', async ({ caller, ip }, reply) => {
    const who = caller.name ?? ip;
    const count = (open.get(who) ?? 0) + 1;
    if (count > most) throw tooManyAtOnce();
    open.set(who, count);
    // However it ends: an answer, or a caller who has gone.
    reply.raw.once('close', () => {
      const left = (open.get(who) ?? 1) - 1;
      if (left === 0) open.delete(who);
      else open.set(who, left);
    });
  });
}

const tooManyAtOnce = (): Problem =>
  new Problem('too-many', 'too-many-at-once', 'These are too many requests at once.', {
    hint: 'Wait for the answer to one of them.',
    retryAfterS: 1,
  });
