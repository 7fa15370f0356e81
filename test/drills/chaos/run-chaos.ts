import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { DEFAULT_SETTLE_TIMES } from '../../../src/sandbox/bank/order-machine.ts';
import type { WorkflowResult } from '../../support/checker/observation.ts';
import type { BankState } from './bank-proxy.ts';
import { type DisturbanceCounts, disturb } from './disturb.ts';
import { HandOver, report } from './hand-over.ts';
import { countBy, judge, type Verdict } from './judge.ts';
import { observe } from './observe.ts';
import { type ChaosOptions, type DrillOutcome, type Forgotten, profileOf } from './options.ts';
import { People } from './people.ts';
import { type Stack, startStack } from './stack.ts';

export interface ChaosResult {
  seed: number;
  payouts: number;
  profile: ReturnType<typeof profileOf>;
  /** `answerLost`: committed, and the client never received it. */
  posts: { seen: number; faulted: number; answerLost: number; byKind: Record<string, number> };
  reads: Record<string, number>;
  /** Kinds of the plan that no POST met. */
  neverFired: string[];
  disturbances: Record<string, number>;
  commandRuns: number;
  /** Ends of processes and commands that nobody asked for. */
  ownEnds: Record<string, number>;
  unexpected: string[];
  faultPhaseMs: number;
  calmMs: number;
  verdict: Verdict;
  /** Folder of databases and logs, kept when a rule was broken. */
  dir: string;
}

export const hasFailed = ({ verdict, unexpected }: ChaosResult): boolean =>
  verdict.violations.length > 0 || unexpected.length > 0;

/** One run: faults and kills, then calm, then the checker. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const stack = await startStack(options);
  try {
    const result = await runOn(options, stack);
    if (hasFailed(result)) return result;
    await stack.end();
    stack.ground.release?.();
    rmSync(stack.dir, { recursive: true, force: true });
    return result;
  } finally {
    await stack.end();
  }
}

async function runOn(options: ChaosOptions, stack: Stack): Promise<ChaosResult> {
  const { say } = options;
  const opening = await retried(() => stack.bank.state());
  const people = new People(stack, options.seed);
  const handOver = new HandOver(stack);
  const stopReading = readLogs(stack);
  const began = performance.now();
  const { disturbances, restores, forgotten } = await faultPhase(options, stack, handOver);
  const calmFrom = Date.now();
  const faultPhaseMs = performance.now() - began;
  await retried(() => stack.bank.calm());
  say(`faults switched off after ${Math.round(faultPhaseMs / 1_000)} s`);
  const settled = await within(handOver.settled, options.calmBoundMs);
  const calm = { from: calmFrom, until: Date.now(), boundMs: options.calmBoundMs, settled };
  say(settled ? `settled ${calm.until - calmFrom} ms later` : 'not settled within the limit');
  handOver.stop();
  await untilSettled(stack);
  const closing = await quietBank(stack);
  const results = await workflowResults(stack);
  await people.stop();
  await stopReading();
  await retried(() => stack.bank.readLog());
  const seen = {
    options,
    stack,
    people,
    opening,
    closing,
    report: await report(stack),
    results,
    calm,
    restores,
    forgotten,
  };
  const observation = observe(seen);
  const verdict = judge(observation, stack);
  return {
    ...{ seed: options.seed, payouts: options.payouts, profile: profileOf(options) },
    ...faultFigures(options, stack),
    disturbances: Object.fromEntries(disturbances),
    commandRuns: handOver.runs,
    ownEnds: ownEnds(stack),
    unexpected: [...handOver.unexpected, ...closing.conservation.problems],
    faultPhaseMs: Math.round(faultPhaseMs),
    calmMs: calm.until - calm.from,
    verdict,
    dir: stack.dir,
  };
}

const NOTHING: Forgotten = { attempts: [], audits: [] };

/** Faults and kills until POSTs were hit and the time after that is over, or everything is settled in spite of them. */
async function faultPhase(
  options: ChaosOptions,
  stack: Stack,
  handOver: HandOver,
): Promise<{ disturbances: DisturbanceCounts } & Required<Omit<DrillOutcome, 'did'>>> {
  if (options.drill !== undefined) {
    const { did, restores = [], forgotten = NOTHING } = await options.drill(stack, handOver);
    return { disturbances: new Map(Object.entries(countBy(did))), restores, forgotten };
  }
  const over = new AbortController();
  const { signal } = over;
  void handOver.settled.then(() => over.abort());
  const began = performance.now();
  let isHit = false;
  void postsHit(stack, signal)
    .then(() => {
      isHit = true;
      return pause(options.faultPhaseMs, undefined, { signal });
    })
    .then(
      () => over.abort(),
      () => undefined,
    );
  const slack = (): number => (isHit ? 1 : 1 + (performance.now() - began) / SLACKENS_EVERY_MS);
  return { disturbances: await disturb(options, stack, handOver, { signal, slack }), restores: [], forgotten: NOTHING };
}

const HITS_MIN = 3;
const HITS_LIMIT_MS = 240_000;
/** Killed faster than it comes up again, a busy machine would never send anything: gaps grow by their own length until it has. */
const SLACKENS_EVERY_MS = 20_000;

/** Workers take their time to start, on a slow machine more: a phase without a lost answer would show nothing. */
async function postsHit({ bank }: Stack, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + HITS_LIMIT_MS;
  const enough = (): boolean => {
    const hits = bank.posts.flatMap(({ fault }) => fault ?? []);
    return hits.length >= HITS_MIN && hits.some((kind) => ANSWER_LOST.includes(kind));
  };
  while (!enough() && performance.now() < deadline) await pause(100, undefined, { signal });
}

const READ_LOG_MS = 300;

function readLogs(stack: Stack): () => Promise<void> {
  let stopped = false;
  const done = (async () => {
    while (!stopped) {
      await stack.bank.readLog().catch(() => undefined);
      await pause(READ_LOG_MS);
    }
  })();
  return () => {
    stopped = true;
    return done;
  };
}

const LATE_LIMIT_MS = 60_000;

/**
 * A row that was with an operator when the command ended may have gone on by itself since, and one of which no search has proven
 * anything yet (a clock was off, say) still may.
 */
async function untilSettled({ store }: Stack): Promise<void> {
  const deadline = performance.now() + LATE_LIMIT_MS;
  const isAtWork = (): boolean =>
    store
      .payouts()
      .some(
        ({ ended_at, state, reason_code }) =>
          ended_at === null && (state !== 'needs-operator' || reason_code === 'outcome-unknown'),
      );
  while (isAtWork() && performance.now() < deadline) await pause(500);
}

/** The bank once nothing is on its way in it any more: late commits are done and orders that move by the clock have ended. */
async function quietBank(stack: Stack): Promise<BankState> {
  const { COMPLETED: _ended, ...moving } = DEFAULT_SETTLE_TIMES;
  const deadline = performance.now() + LATE_LIMIT_MS;
  for (;;) {
    const state = await retried(() => stack.bank.state());
    const isQuiet = state.lateCommits === 0 && !state.orders.some(({ status }) => Object.hasOwn(moving, status));
    if (isQuiet || performance.now() > deadline) return state;
    await pause(200);
  }
}

/** What the workflows of payouts returned; those that are open are left out. */
async function workflowResults(stack: Stack): Promise<WorkflowResult[]> {
  const connection = await Connection.connect({ address: stack.temporalAddress, connectTimeout: '30s' });
  try {
    const client = new Client({ connection, namespace: stack.namespace });
    const results: WorkflowResult[] = [];
    for (const { reference, workflow_id } of stack.store.payouts()) {
      const handle = client.workflow.getHandle(workflow_id);
      const described = await handle.describe().catch(() => undefined);
      if (described === undefined || described.status.name === 'RUNNING') continue;
      const at = described.closeTime?.getTime() ?? Date.now();
      const end = await handle.result().then(
        (value) => ({ ...(value as { state: string; orderId: string | null }), failure: null }),
        (error: unknown) => ({ state: null, orderId: null, failure: `${error}` }),
      );
      results.push({ at, reference, state: end.state, orderId: end.orderId, failure: end.failure });
    }
    return results;
  } finally {
    await connection.close();
  }
}

/** Kinds of faults that commit and are never answered in time. */
export const ANSWER_LOST: readonly string[] = ['drop-after', 'delay-after', 'late-commit', 'late-commit-held'];

function faultFigures({ kinds }: ChaosOptions, { bank }: Stack): Pick<ChaosResult, 'posts' | 'reads' | 'neverFired'> {
  const { posts } = bank;
  const byKind = countBy(posts.flatMap(({ fault }) => fault ?? []));
  const answerLost = ANSWER_LOST.reduce((sum, kind) => sum + (byKind[kind] ?? 0), 0);
  return {
    posts: { seen: posts.length, faulted: posts.filter(({ fault }) => fault !== null).length, answerLost, byKind },
    reads: Object.fromEntries(bank.readFaults),
    neverFired: kinds.filter((kind) => byKind[kind] === undefined),
  };
}

function ownEnds({ temporal, database, sandbox, workers }: Stack): Record<string, number> {
  return countBy(
    [temporal, ...(database === undefined ? [] : [database]), sandbox, ...workers].flatMap(({ spec, ownEnds: ends }) =>
      ends.map((end) => `${spec.name}: ${end}`),
    ),
  );
}

async function within(done: Promise<void>, ms: number): Promise<boolean> {
  const limit = new AbortController();
  const timer = pause(ms, false, { signal: limit.signal }).catch(() => false);
  const settled = await Promise.race([done.then(() => true), timer]);
  limit.abort();
  return settled;
}

const RETRIES = 60;

/** A process of the stack may still be on its way up. */
async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (let left = RETRIES; ; left -= 1) {
    try {
      return await call();
    } catch (error) {
      if (left === 0) throw error;
      await pause(500);
    }
  }
}
