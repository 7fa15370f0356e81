import { type Client, ServiceError } from '@temporalio/client';
import { expect, it } from 'vitest';
import {
  assertReachable,
  repeatDroppedUpdates,
  TemporalUnreachableError,
} from '../../../src/platform/temporal/connection.ts';

/** As a connection of `@temporalio/client` reports it, or one of a worker. */
const refusal = (words: string, details = words) =>
  new ServiceError('Workflow Update failed', {
    cause: Object.assign(new Error(`9 FAILED_PRECONDITION: ${words}`), { code: 9, details, metadata: {} }),
  });
const DROPPED = refusal('Unable to perform workflow execution update due to unexpected workflow task failure.');

/** Asks once; the server answers with these errors first. Ids that it was asked under, and how it ended. */
async function asked(errors: Error[], updateId?: string): Promise<{ ids: (string | undefined)[]; end: unknown }> {
  const ids: (string | undefined)[] = [];
  const input = { options: { updateId } } as Parameters<NonNullable<typeof repeatDroppedUpdates.startUpdate>>[0];
  const end = await repeatDroppedUpdates
    .startUpdate?.(input, async ({ options }) => {
      ids.push(options.updateId);
      const error = errors.shift();
      if (error !== undefined) throw error;
      return 'answered' as never;
    })
    .catch((error: unknown) => error);
  return { ids, end };
}

it('an update that the server dropped is asked again under the same id', async () => {
  const { ids, end } = await asked([DROPPED, DROPPED]);
  expect(end).toBe('answered');
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
  expect((await asked([DROPPED], 'mine')).ids).toEqual(['mine', 'mine']);
  expect(await asked([refusal('unexpected workflow task failure.', '')])).toMatchObject({ end: 'answered' });
});

it('what is dropped again and again is said, and every other error at once', async () => {
  expect((await asked([DROPPED, DROPPED, DROPPED])).end).toBe(DROPPED);
  const idle = refusal('no poller seen for task queue recently');
  expect(await asked([idle])).toMatchObject({ end: idle, ids: { length: 1 } });
});

it('a Temporal whose database is down is not up, although it answers', async () => {
  const client = {
    options: { namespace: 'payouts' },
    withDeadline: (_until: number, call: () => unknown) => call(),
    workflowService: {
      getSystemInfo: async () => ({ serverVersion: '1.29.1' }),
      describeNamespace: async () => Promise.reject(new Error('14 UNAVAILABLE: no usable database connection found')),
    },
  } as unknown as Client;
  await expect(assertReachable(client, { temporalAddress: '127.0.0.1:7233', namespace: 'payouts' })).rejects.toThrow(
    TemporalUnreachableError,
  );
});
