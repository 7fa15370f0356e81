import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

export const HISTORIES = fileURLToPath(new URL('../replay/histories', import.meta.url));

/**
 * Writes a history for the replay corpus when `RECORD_HISTORIES=1` (`npm run histories`): proto-JSON with encoded payloads,
 * without the names of the machines that made it.
 */
export async function recordHistory(handle: WorkflowHandle, workflow: string, scenario: string): Promise<void> {
  if (process.env.RECORD_HISTORIES !== '1') return;
  const json = historyToJSON(await handle.fetchHistory());
  const text = JSON.stringify(
    JSON.parse(typeof json === 'string' ? json : JSON.stringify(json)),
    (key, value) => (key === 'identity' ? 'recorded' : value),
    1,
  );
  await mkdir(HISTORIES, { recursive: true });
  await writeFile(join(HISTORIES, `${workflow}-${scenario}.json`), `${text}\n`);
}
