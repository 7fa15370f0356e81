import {
  type BatchControl,
  countRows,
  needsAttention,
  type PayoutState,
  type StateCounts,
} from '../domain/payout-state.ts';
import type { ReasonCode } from '../domain/reasons.ts';
import { groupedAmount } from '../reports/display.ts';
import { shortId } from '../reports/next-step.ts';
import type { Store } from '../store/store.ts';
import { startBatch } from '../temporal/executions.ts';
import { batchUrl } from '../temporal/ui-link.ts';
import { type FollowEnd, followUntil } from './follow-until.ts';
import { hasTerminal } from './plan.ts';
import type { Session } from './session.ts';

/** A batch whose rows have all ended is compared with the bank's orders before it ends itself; a report waits for that. */
const ENDS_WITHIN_MS = 30_000;

/** What waits for people alone stays so for this long before a command without a terminal leaves it to them. */
const FOR_PEOPLE_MS = 3_000;

/** Follows batches until every row has an end or is with an operator; without a terminal, until everything open waits for people. */
export async function followBatches(
  session: Session,
  batchIds: readonly string[],
  timeoutMs: number | undefined,
): Promise<FollowEnd> {
  const { failure, owner } = await session.stack();
  const [store, client] = [await session.store(), await session.client()];
  for (const batchId of batchIds) {
    const batch = await store.batch(batchId);
    if (batch === undefined) continue;
    // A row with an operator whose workflow is gone is started again: only an open batch looks after its rows.
    if (batch.endedAt !== null) await store.reopenBatch(batchId);
    await startAnew(store, batchId);
    await startBatch(client, batchId, batch.file);
  }
  if (owner) await sayLinks(session, batchIds);
  const isAttended = hasTerminal();
  let atRestSince: number | undefined;
  let forPeopleSince: number | undefined;
  const isAtRest = async (): Promise<boolean> => {
    let [open, forPeople] = [0, 0];
    let ended = true;
    const lines: string[] = [];
    for (const batchId of batchIds) {
      const byState = await store.stateCounts(batchId);
      const counts = countRows(byState);
      open += counts.open;
      const batch = await store.batch(batchId);
      ended &&= batch?.endedAt !== null;
      forPeople += await leftToPeople(store, batchId, { byState, control: batch?.control });
      lines.push(progressLine(batchId, counts, byState));
    }
    session.output.progress(lines.join(' | '));
    forPeopleSince = open > 0 && forPeople === open ? (forPeopleSince ?? performance.now()) : undefined;
    if (!isAttended && forPeopleSince !== undefined && performance.now() - forPeopleSince >= FOR_PEOPLE_MS) return true;
    atRestSince = open > 0 ? undefined : (atRestSince ?? performance.now());
    return atRestSince !== undefined && (ended || performance.now() - atRestSince >= ENDS_WITHIN_MS);
  };
  const pulse = () => client.workflowService.getSystemInfo({});
  const end = await followUntil(isAtRest, { timeoutMs, failure, pulse });
  return end === 'time-out' && atRestSince !== undefined ? 'at-rest' : end;
}

function progressLine(batchId: string, counts: StateCounts, byState: ReadonlyMap<PayoutState, number>): string {
  const states = [...byState]
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${groupedAmount(`${count}`)} ${state}`);
  const done = counts.total - counts.open;
  return `${shortId(batchId)}  ${groupedAmount(`${done}`)}/${groupedAmount(`${counts.total}`)}  ${states.join(', ')}`;
}

/** A server of our own ends with this command, and its pages with it. */
async function sayLinks(session: Session, batchIds: readonly string[]): Promise<void> {
  const ui = await session.ui();
  for (const batchId of batchIds)
    session.output.say(`Temporal UI  ${batchUrl(ui, batchId)}  (while this command runs)`);
}

/** Open rows that nothing but people moves: those that ask them, and those that a batch which is paused or drained does not release. */
async function leftToPeople(
  store: Store,
  batchId: string,
  { byState, control }: { byState: ReadonlyMap<PayoutState, number>; control: BatchControl | undefined },
): Promise<number> {
  const unreleased = control === 'paused' || control === 'draining' ? (byState.get('received') ?? 0) : 0;
  const [held = 0, ...asking] = (['held', 'awaiting-approval', 'awaiting-bank-approval'] as const).map(
    (state) => byState.get(state) ?? 0,
  );
  const rows = held === 0 ? [] : await store.rowsIn(batchId, ['held']);
  return (
    unreleased +
    asking.reduce((sum, count) => sum + count, 0) +
    rows.filter(({ state, reason }) => needsAttention(state, reason)).length
  );
}

const WORKFLOW_CLOSED: ReasonCode = 'workflow-closed';

/** Somebody asks for these rows again: those that were closed too often are started once more, and look. */
async function startAnew(store: Store, batchId: string): Promise<void> {
  for (const { reference, reason } of await store.rowsIn(batchId, ['needs-operator'])) {
    if (reason?.code === WORKFLOW_CLOSED) await store.forgetClosedRuns(reference);
  }
}
