import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { TASK_QUEUE } from '../../domain/names.ts';
import { ENCODING, placeIn } from '../codec/encryption.ts';

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
