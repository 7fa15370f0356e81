import type { Connection } from '@temporalio/client';
import { TASK_QUEUE } from '../domain/names.ts';
import type { Stack } from '../embedded/stack.ts';
import { counted } from '../reports/display.ts';
import { areRefused, missingAttributes } from '../temporal/search-attributes.ts';

/**
 * Whether the namespace is ready for payouts, that is, has their search attributes. Names the server version and the number of
 * polling workers.
 */
export async function judgeTemporal(
  connection: Connection,
  { namespace, temporalAddress }: Pick<Stack, 'namespace' | 'temporalAddress'>,
): Promise<string | { verdict: 'warning' | 'failed'; detail: string }> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: TASK_QUEUE },
    taskQueueType: 1,
  });
  const seen = `${temporalAddress}, server ${serverVersion}, ${counted(pollers?.length ?? 0, 'worker')} polling`;
  try {
    const missing = Object.keys(await missingAttributes(connection, namespace));
    if (missing.length === 0) return seen;
    const detail = `${seen}; search attributes are missing: ${missing.join(', ')}; a worker registers them at start`;
    return { verdict: 'failed', detail };
  } catch (error) {
    if (!areRefused(error)) throw error;
    const detail = `${seen}; it does not show its search attributes: compare them with docs/production.md`;
    return { verdict: 'warning', detail };
  }
}
