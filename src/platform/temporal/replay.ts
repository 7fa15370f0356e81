import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { TASK_QUEUE } from '../../domain/names.ts';
import { ENCODING, EncryptionCodec, placeIn } from '../codec/encryption.ts';
import type { KeyRing } from '../codec/keys.ts';
import { workflowBundle } from './bundle.ts';
import { FAILURE_CONVERTER } from './connection.ts';

/** A history file of one execution, as written by `payouts histories pull` and `temporal workflow show --output json`. */
export interface HistoryFile {
  file: string;
  workflowId: string;
  workflowType: string;
  /** As accepted by `Worker.runReplayHistories`. */
  history: unknown;
  /** Namespace that its payloads are encrypted for; undefined: not encrypted. */
  encryptedFor: string | undefined;
  /** Its first workflow task has completed; not so for a delayed start. */
  isBegun: boolean;
}

/** Stable name, so that a new pull replaces the files of the previous one. */
const fileNameOf = (workflowId: string, runId: string): string => `${encodeURIComponent(workflowId)}.${runId}.json`;

/**
 * Writes the histories of the product's open executions into a folder, readable only by its owner: one file each, payloads as
 * stored by Temporal. `query`: an additional visibility query. Returns how many were written, at most `limit`.
 */
export async function pullHistories(
  client: Client,
  folder: string,
  { query, limit, onCount }: { query: string | undefined; limit: number; onCount(count: number): void },
): Promise<number> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ours = `ExecutionStatus = 'Running' AND TaskQueue = '${TASK_QUEUE}'`;
  const wanted = query === undefined ? ours : `${ours} AND (${query})`;
  let count = 0;
  if (limit === 0) return count;
  for await (const { workflowId, runId } of client.workflow.list({ query: wanted })) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const json = historyToJSON(history);
    writeFileSync(join(folder, fileNameOf(workflowId, runId)), typeof json === 'string' ? json : JSON.stringify(json), {
      mode: 0o600,
    });
    count += 1;
    onCount(count);
    if (count === limit) break;
  }
  return count;
}

/** Paths of the JSON files in a folder, by name; undefined: no such folder. */
export function historyFilesIn(folder: string): string[] | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => join(folder, name));
}

interface RecordedEvent {
  workflowExecutionStartedEventAttributes?: { workflowId?: string; workflowType?: { name?: string } };
  workflowTaskCompletedEventAttributes?: object;
}

/** Reads a history file. Throws an `Error` with the reason if it does not hold a history from its first event. */
export function readHistory(path: string): HistoryFile {
  const file = basename(path);
  let json: { events?: RecordedEvent[] };
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new Error('is not JSON');
  }
  const started = json?.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (started?.workflowType?.name === undefined) throw new Error('does not begin with the start of a workflow');
  return {
    file,
    workflowId: started.workflowId ?? file,
    workflowType: started.workflowType.name,
    history: historyFromJSON(json),
    encryptedFor: encryptionNamespaceOf(json),
    isBegun: json.events?.some((event) => event.workflowTaskCompletedEventAttributes !== undefined) ?? false,
  };
}

const ENCRYPTED = Buffer.from(ENCODING).toString('base64');

/** Finds the namespace in the metadata of an encrypted payload, in any event. */
function encryptionNamespaceOf(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if ('metadata' in json && typeof json.metadata === 'object' && json.metadata !== null) {
    const { encoding, context = '' } = json.metadata as Record<string, string | undefined>;
    if (encoding === ENCRYPTED) return placeIn(Buffer.from(context, 'base64').toString('utf8')).namespace;
  }
  for (const member of Object.values(json)) {
    const found = encryptionNamespaceOf(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `nondeterminism`: this build does not repeat what was recorded. */
export type ReplayProblem = 'nondeterminism' | 'key-missing' | 'failed';

interface Replayed {
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
      // Abandon that worker: it still waits, and so would any code that tried to end it.
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
