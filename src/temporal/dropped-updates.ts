import { randomUUID } from 'node:crypto';
import { isGrpcServiceError, ServiceError, type WorkflowClientInterceptor } from '@temporalio/client';

const FAILED_PRECONDITION = 9;
const TRIES_MAX = 3;

/**
 * A workflow task can fail through no fault of the update in it: the workflow was about to end, and a signal came. The server then
 * drops the update and says so. It is asked again under the same id, so that one that was taken all the same counts once.
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
 * The server has no code for it; "no worker has asked for work lately" has the same one. Over a worker's connection its words
 * are in the message alone.
 */
const wasDropped = (error: unknown): boolean =>
  error instanceof ServiceError &&
  isGrpcServiceError(error.cause) &&
  error.cause.code === FAILED_PRECONDITION &&
  error.cause.message.includes('workflow task failure');
