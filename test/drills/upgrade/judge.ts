import { readFileSync } from 'node:fs';
import { failedTasks } from '../../support/failed-tasks.ts';
import type { Build, Deployment } from './deployment.ts';
import { type Claimed, claimedIn, rowsOf } from './records.ts';

/** What became of every payout: counts of what must not be, and how late ends were. */
export interface Judgement {
  payouts: number;
  /** Workflow tasks that failed, in any history, and lines of a log that report nondeterminism. */
  nondeterminism: number;
  /** Payouts that are under another build than they began under. */
  strayed: number;
  rowsChanged: number;
  notCompleted: number;
  /** Payouts without an order, or with more than one. */
  ordersWrong: number;
  /** From the bank's last word on an order to the end on record, milliseconds. */
  lateness: { median: number; most: number };
}

interface Order {
  client_order_id: string;
  updated_at: number;
}

export interface Begun {
  begunUnder: Build;
  workflowIds: readonly string[];
}

/** `claimed`: what was on record of each payout on the way, once or more often. */
export async function judge(it: Deployment, begun: readonly Begun[], claimed: readonly Claimed[]): Promise<Judgement> {
  const ends = rowsOf<{ reference: string; state: string; ended_at: number }>(
    it.storeUrl,
    'select reference, state, ended_at from payouts',
  );
  const { orders } = (await (await fetch(`${it.bank.url}/__sandbox/state`)).json()) as { orders: Order[] };
  const ordersOf = Map.groupBy(orders, ({ client_order_id: reference }) => reference);
  const late = ends
    .map(({ reference, ended_at: at }) => at - (ordersOf.get(reference)?.[0]?.updated_at ?? 0))
    .sort((a, b) => a - b);
  const now = new Map(claimedIn(it.storeUrl).map(({ reference, terms }) => [reference, terms]));
  return {
    payouts: ends.length,
    ...(await historiesOf(it, begun)),
    rowsChanged: claimed.filter(({ reference, terms }) => now.get(reference) !== terms).length,
    notCompleted: ends.filter(({ state }) => state !== 'completed').length,
    ordersWrong: ends.filter(({ reference }) => ordersOf.get(reference)?.length !== 1).length,
    lateness: { median: late[Math.floor(late.length / 2)] ?? 0, most: late.at(-1) ?? 0 },
  };
}

async function historiesOf(
  { client, logs }: Deployment,
  begun: readonly Begun[],
): Promise<Pick<Judgement, 'nondeterminism' | 'strayed'>> {
  const builds = new Map(begun.flatMap(({ begunUnder, workflowIds }) => workflowIds.map((id) => [id, begunUnder])));
  const lines = Object.values(logs).flatMap((path) => readFileSync(path, 'utf8').split('\n'));
  let nondeterminism = lines.filter((line) => /nondeterminis|TMPRL1100/i.test(line)).length;
  let strayed = 0;
  for await (const { workflowId, runId } of client.workflow.list()) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const { events } = await handle.fetchHistory();
    nondeterminism += failedTasks(events ?? []).length;
    const wanted = builds.get(workflowId);
    if (wanted === undefined) continue;
    const { raw } = await handle.describe();
    if (raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId !== wanted) strayed += 1;
  }
  return { nondeterminism, strayed };
}
