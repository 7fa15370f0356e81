import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { JsonRefused, readJsonOnce } from '../../bank/json.ts';
import { Problem } from '../../domain/problem.ts';

/** Limit for every body except files of payouts. */
const BODY_BYTES_MAX = 64 * 1024;
/** Limit for a whole body: a slower sender only holds a connection. */
export const BODY_MS = 10_000;

/** The bytes of a body. Throws a `Problem` if it is too large or comes too slowly. */
export async function smallBody(body: Readable): Promise<Buffer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Problem('too-slow', 'body-too-slow', 'The request took too long to arrive.')),
    BODY_MS,
  );
  try {
    return await Promise.race([whole(body), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function whole(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop must not destroy the stream: its connection is needed for the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) throw new Problem('too-large', 'too-large', 'A body may have at most 64 KiB.');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  // They may contain a card: leave no copy in memory.
  for (const chunk of chunks) chunk.fill(0);
  return bytes;
}

/** Accepts only JSON in which no member occurs twice: which of two amounts is meant is never guessed. */
export function takeJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (_request: unknown, body: Readable) =>
    jsonOf(await smallBody(body)),
  );
}

function jsonOf(body: Buffer): unknown {
  try {
    return readJsonOnce(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    const why = error instanceof JsonRefused ? error.message : 'not UTF-8';
    throw new Problem('usage', 'json-refused', `The body cannot be read: ${why}.`, {
      hint: 'Send JSON in UTF-8 in which each member appears once.',
    });
  } finally {
    body.fill(0);
  }
}
