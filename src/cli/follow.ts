import type { Client } from '@temporalio/client';
import {
  AWAITING_DECISION_STATES,
  type BatchControl,
  countRows,
  needsAttention,
  type PayoutState,
  type StateCounts,
} from '../domain/payout-state.ts';
import type { ReasonCode } from '../domain/reasons.ts';
import { groupedAmount, shortId } from '../reports/display.ts';
import type { Store } from '../store/store.ts';
import { countAsking } from '../temporal/asking-payouts.ts';
import { startBatch } from '../temporal/executions.ts';
import { batchUrl } from '../temporal/ui-link.ts';
import { hasTerminal } from './confirm.ts';
import { type FollowEnd, followUntil } from './follow-until.ts';
import type { Session } from './session.ts';

/** When all its rows have ended, a batch is compared with the bank's orders before it ends; a report waits this long for that. */
const ENDS_WITHIN_MS = 30_000;

/** How long everything open must wait for people before a command without a terminal stops following. */
const FOR_PEOPLE_MS = 3_000;

/** Follows batches until every row is at rest; without a terminal, until everything open waits for people. */
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
    // A batch with a row for an operator is reopened, so that the row's workflow is restarted if it is gone: only open batches do
    // that.
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
    const asking = new Map<string, number>();
    const lines: string[] = [];
    for (const batchId of batchIds) {
      const byState = await store.stateCounts(batchId);
      const counts = countRows(byState);
      open += counts.open;
      const batch = await store.batch(batchId);
      ended &&= batch?.endedAt !== null;
      asking.set(batchId, await shownAsking(store, batchId, byState));
      forPeople += (asking.get(batchId) ?? 0) + unreleased(byState, batch?.control);
      lines.push(progressLine(batchId, counts, byState));
    }
    session.output.progress(lines.join(' | '));
    forPeopleSince = open > 0 && forPeople === open ? (forPeopleSince ?? performance.now()) : undefined;
    const isWithPeople = forPeopleSince !== undefined && performance.now() - forPeopleSince >= FOR_PEOPLE_MS;
    if (!isAttended && isWithPeople && (await doAsk(client, asking))) return true;
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
    .map(([state, count]) => `${groupedAmount(count)} ${state}`);
  const done = counts.total - counts.open;
  return `${shortId(batchId)}  ${groupedAmount(done)}/${groupedAmount(counts.total)}  ${states.join(', ')}`;
}

/** The embedded server, and its UI, end with this command. */
async function sayLinks(session: Session, batchIds: readonly string[]): Promise<void> {
  const ui = await session.ui();
  for (const batchId of batchIds)
    session.output.say(`Temporal UI  ${batchUrl(ui, batchId)}  (while this command runs)`);
}

/** Number of rows that a paused or drained batch does not release. */
const unreleased = (byState: ReadonlyMap<PayoutState, number>, control: BatchControl | undefined): number =>
  control === 'paused' || control === 'draining' ? (byState.get('received') ?? 0) : 0;

/** Number of rows that ask people, as stored. */
async function shownAsking(store: Store, batchId: string, byState: ReadonlyMap<PayoutState, number>): Promise<number> {
  const held = (byState.get('held') ?? 0) === 0 ? [] : await store.rowsIn(batchId, ['held']);
  const byThemselves = held.filter(({ state, reason }) => !needsAttention(state, reason)).length;
  return AWAITING_DECISION_STATES.reduce((sum, state) => sum + (byState.get(state) ?? 0), -byThemselves);
}

/**
 * Whether the workflows ask too. If not, some are still to be restarted, and a command that ended now would end the stack they
 * need.
 */
async function doAsk(client: Client, shown: ReadonlyMap<string, number>): Promise<boolean> {
  for (const [batchId, rows] of shown) if (rows > 0 && (await countAsking(client, batchId)) < rows) return false;
  return true;
}

const WORKFLOW_CLOSED: ReasonCode = 'workflow-closed';

/** Asked for by an operator: workflows that were closed too often to be restarted get another try, and search first. */
async function startAnew(store: Store, batchId: string): Promise<void> {
  for (const { reference, reason } of await store.rowsIn(batchId, ['needs-operator'])) {
    if (reason?.code === WORKFLOW_CLOSED) await store.forgetClosedRuns(reference);
  }
}
