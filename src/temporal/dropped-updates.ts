import { randomUUID } from 'node:crypto';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { GRPC, grpcStatusOf } from './grpc-status.ts';

const TRIES_MAX = 3;

/**
 * A workflow task can fail through no fault of an update in it: a signal arrived as the workflow was about to end. The server then
 * drops the update and reports that. Repeats it under the same update id, so that one that was accepted after all counts once.
 */
export const repeatDroppedUpdates: WorkflowClientInterceptor = {
  async startUpdate(input, next) {
    const asked = { ...input, options: { ...input.options, updateId: input.options.updateId ?? randomUUID() } };
    for (let tries = 1; ; tries += 1) {
      try {
        return await next(asked);
      } catch (error) {
        if (tries === TRIES_MAX || !wasDropped(error)) throw error;
      }
    }
  },
};

/**
 * There is no code of its own for this: "no worker has asked for work lately" has the same one. Over a worker's connection the
 * server's text is only in the message.
 */
const wasDropped = (error: unknown): boolean =>
  grpcStatusOf(error) === GRPC.FAILED_PRECONDITION && String((error as Error).cause).includes('workflow task failure');
