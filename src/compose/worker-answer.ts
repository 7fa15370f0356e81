import type { Client } from '@temporalio/client';

/** How long an HTTP request waits for a worker's answer. */
const ANSWER_MS = 15_000;

/** A call of Temporal that fails if there is no answer in time. */
export const inTime = <T>(client: Client, call: () => Promise<T>, ms = ANSWER_MS): Promise<T> =>
  client.withDeadline(Date.now() + ms, call);
