import { CLOSED_RUNS_MAX, closedAgain } from '../../domain/closed-runs.ts';
import { isEnd } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import { someAtOnce } from '../../domain/some-at-once.ts';
import type { QuietPayout, QuietScope } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { startPayout } from '../start-payout.ts';

// A released payout without an end whose workflow is not open (terminated, failed, lost with its server) is started again under
// its id: the lock is the claim in the store, and the store's attempts hold what was sent before.

const ROWS_PER_PAGE = 50;
const AT_ONCE = 10;

/** A payout that does not move (it waits for people, say) is not signalled in every pass. */
const TOLD_AGAIN_MS = 3_600_000;

/** Called for a payout that could not be started; the others are processed. */
export type Failed = (error: unknown, reference: string) => void;

/** Processes one page of quiet payouts; `restarted`: how many were started again, `next`: start of the next page, null: anew. */
export async function restartSome(
  deps: ActivityDeps,
  scope: QuietScope,
  after: string | null,
  { failed, quietMs }: { failed: Failed; quietMs: number },
): Promise<{ restarted: number; next: string | null }> {
  const now = deps.now();
  const when = { changedBefore: now - quietMs, now };
  const rows = await deps.store.quietPayouts(scope, when, { after, limit: ROWS_PER_PAGE });
  const restoredAt = (await deps.store.restored())?.at ?? 0;
  let restarted = 0;
  await someAtOnce(rows, AT_ONCE, async (row) => {
    try {
      if (await restart(deps, row, restoredAt)) restarted += 1;
    } catch (error) {
      failed(error, row.reference);
    }
  });
  return { restarted, next: rows.length < ROWS_PER_PAGE ? null : (rows.at(-1)?.reference ?? null) };
}

/** Processes all of them, or as many as time allows; returns how many were started again. */
export async function restartAll(
  deps: ActivityDeps,
  scope: QuietScope,
  { failed, until = Number.POSITIVE_INFINITY }: { failed: Failed; until?: number },
): Promise<number> {
  let restarted = 0;
  let after: string | null = null;
  do {
    const page = await restartSome(deps, scope, after, { failed, quietMs: 0 });
    restarted += page.restarted;
    after = page.next;
  } while (after !== null && deps.now() < until);
  return restarted;
}

/** False if its workflow is open, it has an end, another pass was first, or people are asked instead. */
async function restart(
  deps: ActivityDeps,
  { reference, workflowId, closedRuns, updatedAt }: QuietPayout,
  restoredAt: number,
): Promise<boolean> {
  const { store, executions, settings } = deps;
  if (await executions.isOpen(workflowId)) {
    // An older copy of the store has forgotten what it waits for, and its watch: it must look itself and take its claim anew.
    if (updatedAt <= restoredAt && (await executions.lookAgain(workflowId))) {
      await store.countClosedRun(reference, closedRuns, { ...closedRuns, nextRestartAt: deps.now() + TOLD_AGAIN_MS });
    }
    return false;
  }
  const row = await store.payout(reference);
  if (row === undefined || isEnd(row.state)) return false;
  const now = deps.now();
  const counted = closedAgain(closedRuns, row, { now, firstPauseMs: settings.quietRowMs });
  // Store only the pause first: a payout that could not be started or counted was not closed once more.
  const paused = { ...closedRuns, nextRestartAt: counted.nextRestartAt };
  if (!(await store.countClosedRun(reference, closedRuns, paused))) return false;
  // A payout that is already with an operator keeps its reason.
  const handOver = async (): Promise<void> => {
    if (row.state === 'needs-operator') return;
    await store.changePayout(reference, { state: 'needs-operator', reason: because('workflow-closed'), at: now });
  };
  if (counted.count >= CLOSED_RUNS_MAX) {
    await handOver();
    await store.countClosedRun(reference, paused, counted);
    return false;
  }
  // Its batch may have ended with this row left to people. The row may be at work again, so the batch is open until that is
  // known.
  if (row.batchId !== null) await store.reopenBatch(row.batchId);
  if ((await startPayout(deps, row)) === 'already-started' && !(await executions.isOpen(workflowId))) {
    // The workflow completed but the store has no end: an older copy, say. Sends may be missing too, so the new run begins as one
    // that was with an operator: it looks, and sends nothing on the store's word.
    await handOver();
    await startPayout(deps, row, 'even-completed');
  }
  await store.countClosedRun(reference, paused, counted);
  return true;
}
