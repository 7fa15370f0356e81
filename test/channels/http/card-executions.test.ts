import { type Client, ServiceError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { cardState } from '../../../src/channels/http/take-payment.ts';
import { GRPC } from '../../../src/platform/temporal/connection.ts';

const grpcError = (code: number): Error => Object.assign(new Error('no answer'), { code, details: '', metadata: {} });

it.each([
  ['TERMINATED', 'not-started', grpcError(GRPC.FAILED_PRECONDITION)],
  ['RUNNING', 'unanswered', grpcError(GRPC.FAILED_PRECONDITION)],
  // Whose clock ends a call first, the client's or the server's, is chance.
  ['RUNNING', 'unanswered', new ServiceError('Failed to query Workflow', { cause: grpcError(GRPC.DEADLINE_EXCEEDED) })],
  ['RUNNING', 'unanswered', new ServiceError('Failed to query Workflow', { cause: grpcError(GRPC.CANCELLED) })],
] as const)(
  'a %s card payment that no worker answers for is %s: a closed one can be started again',
  async (name, is, error) => {
    const handle = {
      describe: async () => ({ status: { name } }),
      query: async () => {
        throw error;
      },
    };
    const client = { withDeadline: (_at: number, ask: () => unknown) => ask(), workflow: { getHandle: () => handle } };
    expect(await cardState(client as unknown as Client, 'order-1')).toBe(is);
  },
);
