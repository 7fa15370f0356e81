import { DefaultFailureConverter } from '@temporalio/common';

/** Messages and stacks of failures go through the codec as well. Used where payloads are encrypted, by workers and clients. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
