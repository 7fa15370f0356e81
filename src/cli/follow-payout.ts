import { setTimeout as timer } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isSettled } from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import type { PayoutRecord, Store } from '../store/store.ts';
import { executionsOver } from '../temporal/executions.ts';
import type { FollowEnd } from './follow.ts';
import type { Output } from './output.ts';

const LOOK_EVERY_MS = 250;
/** How often the workflow is asked whether it is there: the store would go on answering without it. */
const PULSE_EVERY_MS = 5_000;

export interface FollowPayout {
  store: Store;
  client: Client;
  output: Output;
  reference: string;
  workflowId: string;
  timeoutMs: number | undefined;
  interrupted: AbortSignal;
  /** An embedded part of this process ended by itself. */
  failure: Promise<Error>;
  /** How far: until it has claimed its row, or until it has an end or is with an operator. */
  until: 'claimed' | 'settled';
}

/** Follows one workflow by its row in the store; it needs no follower. Undefined: it has not claimed its row in time. */
export async function followPayout(options: FollowPayout): Promise<{ row: PayoutRecord | undefined; end: FollowEnd }> {
  const { store, client, output, reference, workflowId, timeoutMs, interrupted, until } = options;
  const isUp = (): Promise<boolean> => executionsOver(client).isOpen(workflowId);
  let failed: Error | undefined;
  void options.failure.then((error) => {
    failed = error;
  });
  const limit = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  let pulseAt = performance.now() + PULSE_EVERY_MS;
  for (;;) {
    const row = await store.payout(reference);
    output.progress(`${reference.slice(0, 8)}  ${row === undefined ? 'starting' : stateText(row)}`);
    if (row !== undefined && (until === 'claimed' || isSettled(row.state))) return { row, end: 'settled' };
    if (failed !== undefined) throw stackGone(failed);
    if (performance.now() >= pulseAt) {
      const isThere = await isUp().catch((error: unknown) => {
        throw stackGone(error);
      });
      if (!isThere && row === undefined) await tellFailure(client, workflowId);
      pulseAt = performance.now() + PULSE_EVERY_MS;
    }
    if (performance.now() >= limit) return { row, end: 'time-out' };
    await timer(LOOK_EVERY_MS, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return { row, end: 'interrupted' };
  }
}

const stateText = ({ state, reason }: PayoutRecord): string =>
  reason === null ? state : `${state}: ${reason.message}`;

/** A workflow that ended without claiming a row sent nothing: its own words say why. */
async function tellFailure(client: Client, workflowId: string): Promise<void> {
  await client.workflow
    .getHandle(workflowId)
    .result()
    .catch((error: Error) => {
      const why = error.cause instanceof Error ? error.cause.message : error.message;
      throw new Problem('refused', 'not-taken', `Nothing was sent: ${why}`, { cause: error });
    });
}

function stackGone(cause: unknown): Problem {
  return new Problem('unreachable', 'temporal-unreachable', 'Temporal does not answer any more.', {
    hint: 'Nothing is lost: the same command follows it again.',
    cause,
  });
}
