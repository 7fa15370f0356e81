import type { Client } from '@temporalio/client';
import { isAtRest } from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import type { PayoutRecord } from '../store/store.ts';
import { executionsOver } from '../temporal/executions.ts';
import { type FollowEnd, followUntil } from './follow-until.ts';
import type { Session } from './session.ts';

export interface FollowedPayout {
  reference: string;
  workflowId: string;
  /** Until the workflow has claimed its row, or until the row is at rest. */
  until: 'claimed' | 'at-rest';
}

/** Follows one workflow by its row in the store. `row` is undefined if none was claimed in time. */
export async function followPayout(
  session: Session,
  { reference, workflowId, until }: FollowedPayout,
  timeoutMs: number | undefined,
): Promise<{ row: PayoutRecord | undefined; end: FollowEnd }> {
  const { failure } = await session.stack();
  const [store, client] = [await session.store(), await session.client()];
  let row: PayoutRecord | undefined;
  const isDone = async (): Promise<boolean> => {
    row = await store.payout(reference);
    session.output.progress(`${reference.slice(0, 8)}  ${row === undefined ? 'starting' : stateText(row)}`);
    return row !== undefined && (until === 'claimed' || isAtRest(row.state));
  };
  const pulse = async (): Promise<void> => {
    const isThere = await executionsOver(client).isOpen(workflowId);
    if (isThere || row !== undefined) return;
    await printFailure(client, workflowId);
    if ((await store.payout(reference)) === undefined) throw forgotten(workflowId);
  };
  const end = await followUntil(isDone, { timeoutMs, failure, pulse });
  return { row, end };
}

const stateText = ({ state, reason }: PayoutRecord): string =>
  reason === null ? state : `${state}: ${reason.message}`;

/** A workflow that ended without claiming a row has sent nothing; its failure says why. */
async function printFailure(client: Client, workflowId: string): Promise<void> {
  await client.workflow
    .getHandle(workflowId)
    .result()
    .catch((error: Error) => {
      const why = error.cause instanceof Error ? error.cause.message : error.message;
      throw new Problem('refused', 'not-taken', `Nothing was sent: ${why}`, { cause: error });
    });
}

/** The workflow has ended in Temporal, but the store has no row of it and will never get one: the store is an older copy. */
const forgotten = (workflowId: string): Problem =>
  new Problem(
    'refused',
    'not-taken',
    `${workflowId} has ended before, and the store does not know it. Nothing was sent.`,
    {
      hint: 'An older copy of the store was restored. Before it is moved under a new id, payouts orders UID CURRENCY shows whether the bank has it.',
    },
  );
