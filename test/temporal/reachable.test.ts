import type { Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import { assertReachable, TemporalUnreachableError } from '../../src/temporal/connection.ts';

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
