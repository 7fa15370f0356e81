import { byLaterClock } from '../bank/bank-time.ts';
import { payoutInput, payoutTitle } from '../domain/instruction.ts';
import { inMarkdown } from '../domain/text.ts';
import { dueAt } from '../domain/time.ts';
import type { PayoutRecord } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';

/** Starts the workflow of a row; one due on a later day starts with a delay. */
export function startPayout(
  deps: ActivityDeps,
  row: PayoutRecord,
  evenCompleted?: 'even-completed',
): Promise<'started' | 'already-started'> {
  const { instruction } = row;
  const delayMs = row.claimRunId === null ? delayOf(deps, row) : 0;
  return deps.executions.startPayout({
    kind: row.kind,
    isUrgent: instruction.priority === 'high',
    ...(delayMs > 0 ? { delayMs } : {}),
    ...(evenCompleted && { evenCompleted: true }),
    workflowId: row.workflowId,
    reference: row.reference,
    input: payoutInput(row),
    summary: inMarkdown(payoutTitle(instruction)),
  });
}

/**
 * How long until the day of a row, in ms; not above 0 when it has come. A workflow that begins too early waits for its day, and
 * one that a clock behind has put off begins no sooner when the clock is set right.
 */
export function delayOf({ bank, settings, now }: ActivityDeps, row: PayoutRecord): number {
  const due = dueAt(row.instruction, settings.calendar);
  return due === undefined ? 0 : due - byLaterClock({ bank }, now());
}
