import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { ENCODING } from '../codec/encryption.ts';
import { TASK_QUEUE } from '../domain/names.ts';

/** A file with the history of one execution, as `payouts histories pull` and `temporal workflow show --output json` write it. */
export interface HistoryFile {
  file: string;
  workflowId: string;
  workflowType: string;
  /** As `Worker.runReplayHistories` takes it. */
  history: unknown;
  /** Namespace that its payloads are encrypted for; undefined: they are clear. */
  sealedFor: string | undefined;
  /** A first task has ended; of one that starts later none has. */
  isBegun: boolean;
}

/** Of an open execution: the files of a pull replace those of the one before. */
const fileNameOf = (workflowId: string, runId: string): string => `${encodeURIComponent(workflowId)}.${runId}.json`;

/**
 * Writes the histories of open executions of the product into a folder, for their owner only: one file each, payloads as Temporal has
 * them. `query`: a visibility query that they must answer to as well. Returns how many were written, at most `limit`.
 */
export async function pullHistories(
  client: Client,
  folder: string,
  { query, limit, told }: { query: string | undefined; limit: number; told(count: number): void },
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
    told(count);
    if (count === limit) break;
  }
  return count;
}

/** Paths of the files of a folder that may be histories, by name; undefined: there is no such folder. */
export function historyFilesIn(folder: string): string[] | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => join(folder, name));
}

interface RecordedEvent {
  workflowExecutionStartedEventAttributes?: { workflowId?: string; workflowType?: { name?: string } };
  workflowTaskCompletedEventAttributes?: object;
}

/** Throws an `Error` that says why for a file that holds no history from its first event on. */
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
    sealedFor: sealedFor(json),
    isBegun: json.events?.some((event) => event.workflowTaskCompletedEventAttributes !== undefined) ?? false,
  };
}

const SEALED = Buffer.from(ENCODING).toString('base64');

/** What an encrypted payload says beside its bytes, in whatever event it lies. */
function sealedFor(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if ('metadata' in json && typeof json.metadata === 'object' && json.metadata !== null) {
    const { encoding, 'encryption-namespace': namespace } = json.metadata as Record<string, string | undefined>;
    if (encoding === SEALED) return Buffer.from(namespace ?? '', 'base64').toString('utf8');
  }
  for (const member of Object.values(json)) {
    const found = sealedFor(member);
    if (found !== undefined) return found;
  }
  return undefined;
}
