import { DefaultFailureConverter } from '@temporalio/common';

/** Passes messages and stack traces of failures through the codec too. Used by workers and clients if payloads are encrypted. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
