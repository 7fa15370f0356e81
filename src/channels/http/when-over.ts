import type { FastifyReply } from 'fastify';

/** Runs once an answer has ended or its client has gone away, which it may have done while the request was looked at. */
export function whenOver({ raw }: FastifyReply, run: () => void): void {
  if (raw.closed) run();
  else raw.once('close', run);
}
