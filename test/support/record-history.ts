import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

export const HISTORIES = fileURLToPath(new URL('../replay/histories', import.meta.url));

/**
 * Writes a history for the replay corpus when `RECORD_HISTORIES=1` (`npm run histories`): proto-JSON with encoded payloads,
 * without the names of the machines that made it. One that is there stays: it covers executions that are open.
 */
export async function recordHistory(handle: WorkflowHandle, workflow: string, scenario: string): Promise<void> {
  if (process.env.RECORD_HISTORIES !== '1') return;
  const json = historyToJSON(await handle.fetchHistory());
  const text = JSON.stringify(JSON.parse(typeof json === 'string' ? json : JSON.stringify(json)), withoutPlaces, 1);
  await mkdir(HISTORIES, { recursive: true });
  const file = join(HISTORIES, `${workflow}-${scenario}.json`);
  await writeFile(file, `${text}\n`, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Worker identities, names of sticky queues (`pid@host-id`) and stack traces say where a history was made. */
function withoutPlaces(key: string, value: unknown): unknown {
  if (key === 'identity') return 'recorded';
  if (key === 'stackTrace') return '';
  return typeof value === 'string' && /^\d+@\S+$/.test(value) ? 'sticky' : value;
}
