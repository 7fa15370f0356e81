import { setTimeout as timer } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { MOVED } from '../channels/http/operations/move-operations.ts';
import { PROGRESS, SUMMARY } from '../channels/http/operations/state-operations.ts';
import { shortId, widthOf } from '../domain/display.ts';
import { groupedAmount } from '../domain/money.ts';
import { WORKFLOW_TYPES } from '../domain/names.ts';
import {
  AWAITING_DECISION_STATES,
  countRows,
  isSettled,
  type ShownState,
  type StateCounts,
} from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import type { ReasonCode } from '../domain/reasons.ts';
import { temporalProblem } from '../files/intake/problem-of.ts';
import type { MoveKind } from '../files/rules/check-instruction.ts';
import { startBatch } from '../platform/temporal/workflow-executions.ts';
import { batchUrl } from '../reports/links.ts';
import { stepGroupsText } from '../reports/render-steps.ts';
import { STATE_WORDS } from '../reports/state-texts.ts';
import type { PayoutRecord, Store } from '../store/store.ts';
import { hasTerminal } from './confirm.ts';
import { interruptSignal } from './interrupt.ts';
import type { Session } from './session.ts';

/** When all its rows have ended, a batch is compared with the bank's orders before it ends; a report waits this long for that. */
const ENDS_WITHIN_MS = 30_000;

/** How long everything open must wait for people before a command without a terminal stops following. */
const FOR_PEOPLE_MS = 3_000;

/** Follows batches until every row is settled; without a terminal, until everything open waits for people. */
export async function followBatches(
  session: Session,
  batchIds: readonly string[],
  timeoutMs: number | undefined,
): Promise<FollowEnd> {
  const watch = watchOf(session, batchIds);
  // Workflows, and the stack that they are on, are the gateway's.
  if (session.gateway !== undefined) {
    return endOf(
      await followUntil(() => watch.isSettled(async () => true), { timeoutMs, everyMs: REMOTE_EVERY_MS }),
      watch,
    );
  }
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
  const isSettled = () => watch.isSettled((asking) => doAsk(client, asking));
  const pulse = () => client.workflowService.getSystemInfo({});
  return endOf(await followUntil(isSettled, { timeoutMs, failure, pulse }), watch);
}

/** How often a gateway is asked. */
const REMOTE_EVERY_MS = 1_000;

interface Watch {
  /** Nothing was open at the last read. */
  hasRested: boolean;
  /** @param doAsk whether the workflows ask people, too, as many by batch as the store shows */
  isSettled(doAsk: (asking: ReadonlyMap<string, number>) => Promise<boolean>): Promise<boolean>;
}

const endOf = (end: FollowEnd, { hasRested }: Watch): FollowEnd => (end === 'time-out' && hasRested ? 'at-rest' : end);

function watchOf(session: Session, batchIds: readonly string[]): Watch {
  const isAttended = hasTerminal();
  let settledSince: number | undefined;
  let forPeopleSince: number | undefined;
  let saidWho = '';
  return {
    get hasRested() {
      return settledSince !== undefined;
    },
    async isSettled(doAsk) {
      let [open, forPeople] = [0, 0];
      let ended = true;
      const asking = new Map<string, number>();
      const lines: string[] = [];
      for (const batchId of batchIds) {
        const { byState, control, isEnded, keptBack, ...shown } = await session.ask(PROGRESS, { id: batchId });
        const states = new Map(byState);
        const counts = countRows(states);
        open += counts.open;
        ended &&= isEnded;
        asking.set(batchId, shown.asking);
        forPeople += shown.asking + keptBack;
        lines.push(progressLine(batchId, counts, states) + (control === 'running' && keptBack > 0 ? OFF : ''));
      }
      session.output.progress(lines.join(' | '));
      forPeopleSince = open > 0 && forPeople === open ? (forPeopleSince ?? performance.now()) : undefined;
      const isWithPeople = forPeopleSince !== undefined && performance.now() - forPeopleSince >= FOR_PEOPLE_MS;
      if (isWithPeople && isAttended) saidWho = await sayWhoActs(session, batchIds, saidWho);
      if (!isAttended && isWithPeople && (await doAsk(asking))) return true;
      settledSince = open > 0 ? undefined : (settledSince ?? performance.now());
      return settledSince !== undefined && (ended || performance.now() - settledSince >= ENDS_WITHIN_MS);
    },
  };
}

/** Who has to act and how, once for as long as it stays the same. Returns what it is now. */
async function sayWhoActs(session: Session, batchIds: readonly string[], before: string): Promise<string> {
  const answers = await Promise.all(batchIds.map((id) => session.ask(SUMMARY, { id })));
  const steps = answers.flatMap(({ summary }) => summary.steps).filter((step) => step.needsAttention);
  const now = steps.map(({ kind, who }) => `${kind} ${who}`).join('\n');
  if (now !== before) session.output.say(stepGroupsText(steps, { now: Date.now(), width: widthOf(process.stderr) }));
  return now;
}

function progressLine(batchId: string, counts: StateCounts, byState: ReadonlyMap<ShownState, number>): string {
  const states = [...byState]
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${groupedAmount(count)} ${STATE_WORDS[state]}`);
  const done = counts.total - counts.open;
  return `${shortId(batchId)}  ${groupedAmount(done)}/${groupedAmount(counts.total)}  ${states.join(', ')}`;
}

/** The embedded server, and its UI, end with this command. */
async function sayLinks(session: Session, batchIds: readonly string[]): Promise<void> {
  const ui = await session.ui();
  for (const batchId of batchIds)
    session.output.say(`Temporal UI  ${batchUrl(ui, batchId)}  (while this command runs)`);
}

const OFF = ', switched off (payouts switch list)';

/**
 * Whether the workflows ask too. If not, some are still to be restarted, and a command that ended now would end the stack they
 * need. While Temporal does not answer, nobody knows: the pulse says when it is gone.
 */
async function doAsk(client: Client, shown: ReadonlyMap<string, number>): Promise<boolean> {
  try {
    for (const [batchId, rows] of shown) if (rows > 0 && (await countAsking(client, batchId)) < rows) return false;
    return true;
  } catch (error) {
    if (temporalProblem(error)?.kind === 'unreachable') return false;
    throw error;
  }
}

/**
 * Number of payouts of a batch that ask people now, by open workflows. The store may show more: after a loss of Temporal, say, it
 * still shows earlier questions, whose answers nobody receives until the payout is started again.
 */
async function countAsking(client: Client, batchId: string): Promise<number> {
  const states = AWAITING_DECISION_STATES.map((state) => `'${state}'`).join(', ');
  const { count } = await client.workflow.count(
    `WorkflowType = '${WORKFLOW_TYPES.payout}' AND PayoutBatchId = '${batchId}' AND ExecutionStatus = 'Running' AND PayoutState IN (${states})`,
  );
  return count;
}

const WORKFLOW_CLOSED: ReasonCode = 'workflow-closed';

/** Asked for by an operator: workflows that were closed too often to be restarted get another try, and search first. */
async function startAnew(store: Store, batchId: string): Promise<void> {
  for (const { reference, reason } of await store.rowsIn(batchId, ['needs-operator'])) {
    if (reason?.code === WORKFLOW_CLOSED) await store.forgetClosedRuns(reference);
  }
}

export interface FollowedMove {
  kind: MoveKind;
  reference: string;
  /** Of its instruction. */
  digest: string;
  /** Until its workflow has claimed its row, or until the row is settled. */
  until: 'claimed' | 'at-rest';
}

/** Follows a started transfer or exchange by its row. `row` is undefined if none was claimed in time. */
export async function followMove(
  session: Session,
  { until, ...followed }: FollowedMove,
  timeoutMs: number | undefined,
): Promise<{ row: PayoutRecord | undefined; end: FollowEnd }> {
  let row: PayoutRecord | undefined;
  const isDone = async (): Promise<boolean> => {
    row = (await session.ask(MOVED, followed)).payout ?? undefined;
    session.output.progress(`${followed.reference.slice(0, 8)}  ${row === undefined ? 'starting' : stateText(row)}`);
    return row !== undefined && (until === 'claimed' || isSettled(row.state));
  };
  const end = await followUntil(isDone, { timeoutMs, ...(await livenessOf(session)) });
  return { row, end };
}

/** How often, and by what is known that it still can change: through a gateway by its answers alone. */
async function livenessOf(session: Session): Promise<Pick<Following, 'everyMs' | 'failure' | 'pulse'>> {
  if (session.gateway !== undefined) return { everyMs: REMOTE_EVERY_MS };
  const { failure } = await session.stack();
  const client = await session.client();
  return { failure, pulse: () => client.workflowService.getSystemInfo({}) };
}

const stateText = ({ state, reason }: PayoutRecord): string =>
  reason === null ? state : `${state}: ${reason.message}`;

/** How often Temporal is checked: without it, the store would still answer, but nothing would change. */
const PULSE_EVERY_MS = 5_000;
/** So many checks in a row without success, and Temporal is gone. An embedded server that is sick is replaced well before. */
const PULSES_MAX = 24;

export type FollowEnd = 'at-rest' | 'time-out' | 'interrupted';

interface Following {
  timeoutMs: number | undefined;
  everyMs?: number;
  pulseEveryMs?: number;
  /** Resolves if an embedded part of this process ends by itself. */
  failure?: Promise<Error>;
  /** Rejects if Temporal cannot be reached. */
  pulse?: () => Promise<unknown>;
}

/** Polls until there is nothing left to wait for. What is followed continues without being followed. */
export async function followUntil(
  isSettled: () => Promise<boolean>,
  { timeoutMs = Number.POSITIVE_INFINITY, everyMs = 250, pulseEveryMs = PULSE_EVERY_MS, failure, pulse }: Following,
): Promise<FollowEnd> {
  const interrupted = interruptSignal();
  let failed: Error | undefined;
  void failure?.then((error) => {
    failed = error;
  });
  let [unanswered, problem]: [number, unknown] = [0, undefined];
  // Not awaited: a server that is stopped answers nothing for as long as it is.
  const beat = async (): Promise<void> => {
    unanswered += 1;
    try {
      await pulse?.();
      unanswered = 0;
    } catch (error) {
      if (error instanceof Problem) failed = error;
      problem = error;
    }
  };
  const until = performance.now() + timeoutMs;
  let pulseAt = performance.now() + pulseEveryMs;
  for (;;) {
    if (await isSettled()) return 'at-rest';
    if (failed !== undefined) throw failed instanceof Problem ? failed : stackGone(failed);
    if (performance.now() >= pulseAt) {
      if (unanswered >= PULSES_MAX) throw stackGone(problem);
      void beat();
      pulseAt = performance.now() + pulseEveryMs;
    }
    if (performance.now() >= until) return 'time-out';
    await timer(everyMs, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return 'interrupted';
  }
}

function stackGone(cause: unknown): Problem {
  return new Problem('unreachable', 'temporal-unreachable', 'Temporal no longer answers.', {
    hint: 'Nothing is lost: run the same command again to follow it.',
    cause,
  });
}
