import type { Client } from '@temporalio/client';

// Apart from `executions.ts`: a command that shows something does not load the client of Temporal.

/** How long an HTTP request waits for a worker's answer. */
export const ANSWER_MS = 15_000;

/** How long a command waits for it. */
export const COMMAND_MS = 60_000;

/** Resolving also waits for a search of the bank's lists, and a close for its second read. */
export const resolveMs = ({ terms }: { terms: { waits: { noMoneyRecheckMs: number } } }): number =>
  COMMAND_MS + terms.waits.noMoneyRecheckMs;

/** A call of Temporal that fails if there is no answer in time. */
export const inTime = <T>(client: Client, call: () => Promise<T>, ms = ANSWER_MS): Promise<T> =>
  client.withDeadline(Date.now() + ms, call);
