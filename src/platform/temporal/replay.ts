import { setTimeout } from 'node:timers/promises';
import type { PayloadCodec } from '@temporalio/common';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { EncryptionCodec } from '../codec/encryption.ts';
import type { KeyRing } from '../codec/key-ring.ts';
import { workflowBundle } from './bundle.ts';
import type { HistoryFile } from './histories.ts';
import { FAILURE_CONVERTER } from './sealed-payloads.ts';

/** `nondeterminism`: this build does not repeat what was recorded. */
export type ReplayProblem = 'nondeterminism' | 'key-missing' | 'failed';

export interface Replayed {
  problem: ReplayProblem | undefined;
  /** The SDK's message; empty if nothing is wrong. */
  message: string;
}

type Results = AsyncGenerator<{ file: HistoryFile; replayed: Replayed }>;

/** Ample: thousands of events replay in seconds. */
const LIMIT_MS = 120_000;

/**
 * Replays histories with the workflow code of this build, one after the other, each for at most `limitMs`. `keys` is called at
 * the first encrypted history. The SDK's runtime must be installed.
 */
export async function* replayHistories(
  histories: readonly HistoryFile[],
  keys: () => KeyRing | undefined,
  limitMs = LIMIT_MS,
): Results {
  const begun = histories.filter(({ isBegun }) => isBegun);
  // Nothing is decided yet that a build could decide differently, and the SDK would wait forever for a first task.
  for (const file of histories.filter(({ isBegun }) => !isBegun)) yield { file, replayed: REPLAYS };
  // One worker per namespace of the payloads, not per history: creating one costs more than a replay.
  for (const [namespace, some] of Map.groupBy(begun, ({ encryptedFor }) => encryptedFor)) {
    const ring = namespace === undefined ? undefined : keys();
    if (namespace !== undefined && ring === undefined) {
      for (const file of some) yield { file, replayed: KEY_MISSING };
      continue;
    }
    yield* replayTogether(some, ring && { ring, namespace: namespace ?? '' }, limitMs);
  }
}

const REPLAYS: Replayed = { problem: undefined, message: '' };
const KEY_MISSING: Replayed = { problem: 'key-missing', message: 'its payloads are encrypted, and no keys are set' };

async function* replayTogether(
  files: readonly HistoryFile[],
  sealed: { ring: KeyRing; namespace: string } | undefined,
  limitMs: number,
): Results {
  let isKeyMissing = false;
  const codec = sealed && codecOf(sealed.ring, sealed.namespace, () => (isKeyMissing = true));
  const options: ReplayWorkerOptions = {
    workflowBundle: await workflowBundle({ isEncrypted: sealed !== undefined }),
    ...(codec && { dataConverter: { payloadCodecs: [codec], failureConverterPath: FAILURE_CONVERTER } }),
  };
  const results = Worker.runReplayHistories(options, files);
  for (const [index, file] of files.entries()) {
    const result = await within(limitMs, results.next());
    if (result === undefined) {
      yield { file, replayed: { problem: 'failed', message: `gives no result within ${limitMs / 1_000} s` } };
      // Abandon that worker: it still waits, and so would whoever tried to end it.
      yield* replayTogether(files.slice(index + 1), sealed, limitMs);
      return;
    }
    const replayed = isKeyMissing
      ? {
          problem: 'key-missing' as const,
          message: 'its payloads are encrypted with a key that is not among the keys set',
        }
      : resultOf(result.value?.error);
    isKeyMissing = false;
    yield { file, replayed };
  }
  await results.return?.();
}

async function within<T>(ms: number, answer: Promise<T>): Promise<T | undefined> {
  const answered = new AbortController();
  const late = setTimeout(ms, undefined, { signal: answered.signal });
  return Promise.race([answer, late.catch(() => undefined)]).finally(() => answered.abort());
}

function resultOf(error: Error | undefined): Replayed {
  if (error === undefined) return REPLAYS;
  const problem = error instanceof DeterminismViolationError ? 'nondeterminism' : 'failed';
  return { problem, message: RULE_BROKEN.exec(error.message)?.[1] ?? error.message };
}

/** The core's message about a history, inside a dump of its own failure. */
const RULE_BROKEN = /\[TMPRL\d+\] ([^"]+)/;

/** Decodes like a worker of that namespace; the replay worker has another one. What was refused then is refused again. */
function codecOf(ring: KeyRing, namespace: string, onUnknownKey: () => void): PayloadCodec {
  const codec = new EncryptionCodec(ring, (why) => {
    if (why === 'unknown-key') onUnknownKey();
  });
  return {
    encode: (payloads, context) => codec.encode(payloads, context),
    decode: (payloads, context) => codec.decode(payloads, context && { ...context, namespace }),
  };
}
