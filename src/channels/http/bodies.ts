import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { v7 } from 'uuid';
import { JsonRefused, readJsonOnce } from '../../bank/json.ts';
import { Problem } from '../../domain/problem.ts';
import { FILE_BYTES_MAX } from '../../files/input.ts';
import { EXTENSION_OF } from '../../files/read-file.ts';

/** Limit for every body except files of payouts. */
const BODY_BYTES_MAX = 64 * 1024;
/** Limit for a whole body: a slower sender only holds a connection. */
export const BODY_MS = 10_000;

/** The bytes of a body. Throws a `Problem` if it is too large or comes too slowly. */
export async function smallBody(body: Readable): Promise<Buffer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      late.reject(
        new Problem('too-slow', 'body-too-slow', 'The request took too long to arrive.', {
          hint: `Send it within ${BODY_MS / 1_000} s.`,
        }),
      ),
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
    if (length > BODY_BYTES_MAX)
      throw new Problem('too-large', 'too-large', 'A body may have at most 64 KiB.', {
        hint: 'Only files of payouts and statements may be larger.',
      });
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

/** What is in a body, which is overwritten. Throws a `Problem` if it is not JSON, or has a member twice. */
export function jsonOf(body: Buffer): unknown {
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

/** A body on disk; disposing removes it. */
export interface Upload extends AsyncDisposable {
  path: string;
  bytes: number;
  /** Of its bytes. */
  sha256: string;
}

/** Media types of files, each with the extension for a file without a name; '': recognized by its first characters. */
export const UPLOAD_TYPES: Readonly<Record<string, string>> = { ...EXTENSION_OF, 'application/octet-stream': '' };

/** Writes a body to its own file (0600) as it arrives, with one chunk in memory. */
export async function receive(
  body: Readable,
  folder: string,
  { name, extension }: { name: string | undefined; extension: string },
): Promise<Upload> {
  const own = join(folder, v7());
  await mkdir(own, { recursive: true, mode: 0o700 });
  const remove = (): Promise<void> => rm(own, { recursive: true, force: true });
  try {
    const raw = join(own, 'body');
    const { bytes, sha256 } = await write(body, raw);
    const path = join(own, name ?? `upload-${sha256.slice(0, 12)}${extension}`);
    await rename(raw, path);
    return { path, bytes, sha256, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function write(body: Readable, path: string): Promise<Pick<Upload, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    // Leaving the loop must not destroy the stream: its connection is needed for the answer.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > FILE_BYTES_MAX) throw tooLarge();
      hash.update(chunk);
      await file.write(chunk);
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

export function tooLarge(): Problem {
  return new Problem('too-large', 'too-large', `A file may have at most ${FILE_BYTES_MAX / 1024 / 1024} MiB.`, {
    hint: 'Split it.',
  });
}

const ABANDONED_MS = 3_600_000;

/** Removes files left by killed gateways. */
export async function removeAbandoned(folder: string, now: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs = now } = (await stat(path).catch(() => undefined)) ?? {};
    if (now - mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

const NAME_BYTES_MAX = 200;

/** Throws a `Problem` for an unusable file name. */
export function assertFileName(name: string): void {
  const whole = /^[^/\\\p{Cc}]+$/u.test(name) && name !== '.' && name !== '..';
  if (whole && Buffer.byteLength(name) <= NAME_BYTES_MAX) return;
  throw new Problem('usage', 'file-name-refused', 'This is not a valid file name.', {
    hint: `Give a name without folders, ${NAME_BYTES_MAX} bytes at most.`,
  });
}
