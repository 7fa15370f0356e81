import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { csvOf } from '../../e2e/payout-files.ts';
import { type Build, type Deployment, startDeployment } from './deployment.ts';
import { type Judgement, judge } from './judge.ts';
import { type Claimed, claimedIn, rowsOf } from './records.ts';

/** Rows of a file; each file is a batch that is approved at once. */
const A_BATCH = 100;
/** Histories that the gate replays: each is of the same route. */
const GATED = 5;
const POLL_MS = 500;
/** Longer than any of it takes on a slow machine: it only ends what hangs. */
const HANGS_MS = 1_800_000;

export interface DrillResult extends Judgement {
  /** Folder of all that was written, for the person who reads or removes it. */
  dir: string;
  open: number;
  /** Histories of payouts under the build before: how many replay under it, and under the one after. */
  gate: { pulled: number; replayedBefore: number; replayedAfter: number };
}

/** A batch in the audit of the bank: its payouts are open until somebody approves them. */
interface Batch {
  batchId: string;
  begunUnder: Build;
  workflowIds: string[];
}

/**
 * Rolls a deployment forward to another build and back while `payouts` payouts are open and more begin, kills both workers on the
 * way, and judges what became of every one of them.
 */
export async function runDrill({ payouts, say }: { payouts: number; say(line: string): void }): Promise<DrillResult> {
  await using it = await startDeployment();
  say(`two builds, Temporal and the sandbox in ${it.dir}`);
  await it.startWorker('before');
  await it.makeCurrent('before');

  const few = Math.max(3, Math.round(payouts / 10));
  const open = await handOver(it, { build: 'before', name: 'OLD', count: payouts });
  await untilOpen(it, open);
  say(`${payouts} payouts are open under the previous build`);
  const gate = await throughGate(it);
  say(`replay: ${gate.replayedBefore} of ${gate.pulled} histories with it, ${gate.replayedAfter} with the new build`);

  await it.startWorker('after');
  await it.makeCurrent('after');
  say('rolled forward: the new build is current, and has expanded the store');
  const half = open.slice(0, Math.ceil(open.length / 2));
  await approve(it, 'after', half);
  const fresh = await handOver(it, { build: 'after', name: 'NEW', count: few });
  // A payout belongs to the build that is current at its first task.
  await untilOpen(it, fresh);
  await Promise.all(Object.values(it.workers).map((worker) => worker.kill()));
  say('both workers were killed; they replay the open payouts');

  await it.makeCurrent('before');
  say('rolled back: the previous build is current again, on the expanded store');
  const back = await handOver(it, { build: 'before', name: 'BACK', count: few });
  const all = [...open, ...fresh, ...back];
  await untilOpen(it, back);
  const claimed = claimedIn(it.storeUrl);
  await approve(
    it,
    'before',
    all.filter((batch) => !half.includes(batch)),
  );
  await untilEnded(it, say);
  return {
    dir: it.dir,
    open: payouts,
    gate,
    ...(await judge(it, all, [...claimed, ...all.flatMap((batch) => batch.claimed)])),
  };
}

async function handOver(
  it: Deployment,
  { build, name, count }: { build: Build; name: string; count: number },
): Promise<(Batch & { claimed: Claimed[] })[]> {
  const batches: (Batch & { claimed: Claimed[] })[] = [];
  for (let first = 0; first < count; first += A_BATCH) {
    const numbers = Array.from({ length: Math.min(A_BATCH, count - first) }, (_, n) => first + n);
    const rows = numbers.map((n) => ({ id: `${name}-${n}`, amount: `${1 + (n % 7)}.10`, note: 'sandbox:audit' }));
    const file = it.file(`${name}-${first}.csv`, csvOf(rows));
    const { code, stdout, stderr } = await it.payouts(build, 'run', file, '--yes', '--detach', '--json');
    if (code !== 0) throw new Error(`a file was not accepted: ${stdout}${stderr}`);
    const { batchId, payouts } = JSON.parse(stdout) as { batchId: string; payouts: { workflowId: string }[] };
    const claimed = claimedIn(it.storeUrl, batchId);
    batches.push({ batchId, begunUnder: build, workflowIds: payouts.map(({ workflowId }) => workflowId), claimed });
  }
  return batches;
}

async function approve(it: Deployment, build: Build, batches: readonly Batch[]): Promise<void> {
  for (const { batchId } of batches) {
    // A row says that it waits a moment before its workflow takes the answer.
    const isApproved = async (): Promise<boolean> =>
      (await it.payouts(build, 'approve', batchId, '--yes', '--by', 'alice')).code === 0;
    await until(isApproved, `batch ${batchId} to be approved`);
  }
}

/** Histories of what is open, replayed by the commands of both builds. */
async function throughGate(it: Deployment): Promise<DrillResult['gate']> {
  const folder = join(it.dir, 'histories');
  const query = `WorkflowType = 'payout'`;
  const pulled = await it.payouts(
    'before',
    'histories',
    'pull',
    '--to',
    folder,
    '--query',
    query,
    '--limit',
    `${GATED}`,
  );
  if (pulled.code !== 0) throw new Error(`histories could not be pulled: ${pulled.stdout}${pulled.stderr}`);
  const replayedBy = async (build: Build) => {
    const { stdout } = await it.payouts(build, 'replay', folder, '--json');
    return (JSON.parse(stdout) as { replay: { histories: number; replayed: number } }).replay;
  };
  const before = await replayedBy('before');
  return {
    pulled: before.histories,
    replayedBefore: before.replayed,
    replayedAfter: (await replayedBy('after')).replayed,
  };
}

const countOf = ({ storeUrl }: Deployment, condition: string): number =>
  rowsOf<{ count: number }>(storeUrl, `select count(*) as count from payouts where ${condition}`)[0]?.count ?? 0;

/** All of them in the audit of the bank, until somebody approves them. */
const untilOpen = (it: Deployment, batches: readonly Batch[]): Promise<void> => {
  const ids = batches.map(({ batchId }) => `'${batchId}'`).join(', ');
  const condition = `batch_id in (${ids}) and state <> 'awaiting-bank-approval'`;
  return until(() => countOf(it, condition) === 0, 'payouts to be open');
};

async function untilEnded(it: Deployment, say: (line: string) => void): Promise<void> {
  let said = 0;
  await until(() => {
    const left = countOf(it, 'ended_at is null');
    if (performance.now() - said > 20_000) {
      said = performance.now();
      say(`${left} payouts are still open`);
    }
    return left === 0;
  }, 'all payouts to end');
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + HANGS_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`still waiting for ${what}`);
    await pause(POLL_MS);
  }
}
