import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import { Problem } from '../../domain/problem.ts';
import type { IdempotencyHold, IdempotencyKey, Store } from '../../store/store.ts';

/** How long a killed gateway keeps its hold on a key. */
const HOLD_MS = 15_000;
const HOLD_AGAIN_MS = 5_000;
/** Longer than a hold: a request after a kill waits and continues. */
const PATIENCE_MS = 20_000;
const POLL_MS = 200;
/** How long a key is remembered; claims of rows have no such limit. */
const REMEMBERED_MS = 30 * 24 * 3_600_000;

/** Printable ASCII: what a header can hold without doubt. */
const KEY = /^[\x21-\x7e]{1,255}$/;

export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new Problem('usage', 'idempotency-key-refused', 'This Idempotency-Key cannot be used.', {
    hint: 'Use one key of 1 to 255 printable ASCII characters without spaces.',
  });
}

/** An answer whose body comes in pieces, since it may be long. */
export interface MadeAnswer {
  status: number;
  /** It was made for an earlier request with the same key. */
  isReplay?: true;
  /** The batch that was claimed under the key, with 202. */
  batchId?: string;
  body: AsyncIterable<string | Buffer> | Iterable<string>;
}

/**
 * The answer to a request under its key: the stored one, or that of `work`, which runs for one request at a time and gets the
 * batch id of the first try. If `work` throws, nothing is stored, and the same request may try again. Throws a `Problem` if the
 * key belongs to another request, or is held for too long.
 */
export async function answerOnce(
  store: Store,
  request: Pick<IdempotencyHold, 'caller' | 'key' | 'requestSha256'>,
  work: (batchId: string) => Promise<MadeAnswer>,
): Promise<MadeAnswer> {
  await store.forgetKeys(Date.now() - REMEMBERED_MS);
  const owner = v7();
  const batchId = v7();
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const at = Date.now();
    const taking = await store.takeKey({ ...request, owner, batchId, at, heldUntil: at + HOLD_MS });
    if (taking.outcome === 'taken') {
      return workUnderKey(store, { ...request, owner }, () => work(taking.batchId));
    }
    if (taking.outcome === 'answered') {
      const { status, body } = taking;
      return { status, isReplay: true, batchId: taking.batchId, body: unpacked(Buffer.from(body, 'base64')) };
    }
    if (taking.outcome === 'other-request') throw reused();
    if (performance.now() > until) throw inUse();
    await pause(POLL_MS);
  }
}

async function workUnderKey(store: Store, key: IdempotencyKey, work: () => Promise<MadeAnswer>): Promise<MadeAnswer> {
  // A hold that cannot be renewed expires; even then, claims of rows prevent two batches.
  const hold = (): void => void store.holdKey(key, Date.now() + HOLD_MS).catch(() => {});
  const timer = setInterval(hold, HOLD_AGAIN_MS);
  try {
    const { status, batchId, body } = await work();
    const packedBody = await packed(body);
    await store.answerKey(key, { status, body: packedBody.toString('base64') });
    return { status, batchId, body: unpacked(packedBody) };
  } catch (error) {
    await store.holdKey(key, 0).catch(() => {});
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Compressed, since the lines of a large batch are alike; it is never in memory uncompressed. */
const packed = (body: MadeAnswer['body']): Promise<Buffer> =>
  pipeline(Readable.from(body), createGzip(), (zipped: AsyncIterable<Buffer>) => buffer(Readable.from(zipped)));
const unpacked = (body: Buffer): Readable => Readable.from([body]).pipe(createGunzip());

export function reused(): Problem {
  const why = 'This Idempotency-Key was used for a different request.';
  return new Problem('invalid-input', 'idempotency-key-reused', why, { hint: 'Use a new key for a new request.' });
}

function inUse(): Problem {
  return new Problem('conflict', 'idempotency-key-in-use', 'A request with this Idempotency-Key is being processed.', {
    hint: 'Send the same request again a little later.',
    retryAfterS: 5,
  });
}
