import type { PayloadCodec } from '@temporalio/common';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { EncryptionCodec } from '../codec/encryption.ts';
import type { KeyRing } from '../codec/key-ring.ts';
import { workflowBundle } from './bundle.ts';
import type { HistoryFile } from './histories.ts';
import { FAILURE_CONVERTER } from './sealed-payloads.ts';

/** `another-course`: this build does otherwise than what was recorded. */
export type ReplayProblem = 'another-course' | 'key-missing' | 'failed';

export interface Replayed {
  problem: ReplayProblem | undefined;
  /** What the SDK says of it; empty where nothing is wrong. */
  message: string;
}

/**
 * Replays histories with the workflow code of this build, one after the other. `keys` is asked for at the first history that is
 * encrypted. The SDK's runtime must be installed.
 */
export async function* replayHistories(
  histories: readonly HistoryFile[],
  keys: () => KeyRing | undefined,
): AsyncGenerator<{ file: HistoryFile; replayed: Replayed }> {
  // A worker for each way of decoding, not for each history: making one costs more than a replay.
  for (const [namespace, some] of Map.groupBy(histories, ({ sealedFor }) => sealedFor)) {
    const ring = namespace === undefined ? undefined : keys();
    if (namespace !== undefined && ring === undefined) {
      for (const file of some) yield { file, replayed: KEY_MISSING };
      continue;
    }
    yield* replayTogether(some, ring && { ring, namespace: namespace ?? '' });
  }
}

const KEY_MISSING: Replayed = { problem: 'key-missing', message: 'its payloads are encrypted, and no keys are set' };

async function* replayTogether(
  files: readonly HistoryFile[],
  sealed: { ring: KeyRing; namespace: string } | undefined,
): AsyncGenerator<{ file: HistoryFile; replayed: Replayed }> {
  let isKeyMissing = false;
  const codec = sealed && codecOf(sealed.ring, sealed.namespace, () => (isKeyMissing = true));
  const options: ReplayWorkerOptions = {
    workflowBundle: await workflowBundle({ isSealed: sealed !== undefined }),
    ...(codec && { dataConverter: { payloadCodecs: [codec], failureConverterPath: FAILURE_CONVERTER } }),
  };
  let index = 0;
  for await (const { error } of Worker.runReplayHistories(options, files)) {
    const file = files[index];
    index += 1;
    const replayed = isKeyMissing
      ? {
          problem: 'key-missing' as const,
          message: 'its payloads are encrypted with a key that is not among the keys set',
        }
      : resultOf(error);
    isKeyMissing = false;
    if (file !== undefined) yield { file, replayed };
  }
}

function resultOf(error: Error | undefined): Replayed {
  if (error === undefined) return { problem: undefined, message: '' };
  const problem = error instanceof DeterminismViolationError ? 'another-course' : 'failed';
  return { problem, message: RULE_BROKEN.exec(error.message)?.[1] ?? error.message };
}

/** What the core says of a history, inside of a dump of its own failure. */
const RULE_BROKEN = /\[TMPRL\d+\] ([^"]+)/;

/** As a worker of that namespace decodes: the one of a replay has another. What it refuses is refused again, as it was then. */
function codecOf(ring: KeyRing, namespace: string, onUnknownKey: () => void): PayloadCodec {
  const codec = new EncryptionCodec(ring, (why) => {
    if (why === 'unknown-key') onUnknownKey();
  });
  return {
    encode: (payloads, context) => codec.encode(payloads, context),
    decode: (payloads, context) => codec.decode(payloads, context && { ...context, namespace }),
  };
}
