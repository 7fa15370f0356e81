import { setTimeout as pause } from 'node:timers/promises';
import { draw, pick } from '../../../src/sandbox/draw.ts';
import type { HandOver } from './hand-over.ts';
import type { ChaosOptions } from './options.ts';
import type { Supervised } from './processes.ts';
import type { Stack } from './stack.ts';

/** `kill worker`, `pause temporal`, ... -> how often. */
export type DisturbanceCounts = Map<string, number>;

const SHORT_PAUSES = 3;

/**
 * Kills and pauses by the seed's schedule until `signal` aborts; resolves when no process is paused any more. `slack`: a factor
 * on the next gap.
 */
export async function disturb(
  options: ChaosOptions,
  stack: Stack,
  handOver: HandOver,
  { signal, slack }: { signal: AbortSignal; slack(): number },
): Promise<DisturbanceCounts> {
  const { gapMs, pauseMs, say } = options;
  const counts: DisturbanceCounts = new Map();
  const pauses: Promise<void>[] = [];
  for (let n = 1; ; n += 1) {
    const ask = asker(options, n);
    const gap = gapMs.min + ask('gap') * (gapMs.max - gapMs.min);
    await pause(gap * slack(), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const { target, what } = nthDisturbance(options, n);
    // Most are short; a few reach the longest.
    const ms = Math.floor(pauseMs.min + ask('length') ** SHORT_PAUSES * (pauseMs.max - pauseMs.min));
    if (!act({ target, what, ms, worker: ask('worker') }, stack, handOver, pauses)) continue;
    const name = `${what} ${target}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    say(what === 'kill' ? name : `${name} ${ms} ms`);
  }
  await Promise.allSettled(pauses);
  return counts;
}

const asker =
  ({ seed }: Pick<ChaosOptions, 'seed'>, n: number) =>
  (question: string): number =>
    draw(seed, 'disturbance', n, question);

/** What the seed does next, and to which process; counted from 1. */
export function nthDisturbance(
  options: Pick<ChaosOptions, 'seed' | 'disturbances'>,
  n: number,
): ChaosOptions['disturbances'][number] {
  const [first, ...rest] = options.disturbances;
  if (first === undefined) throw new RangeError('nothing is to be disturbed');
  return pick([first, ...rest], asker(options, n)('what'));
}

/** False when there was nothing to disturb. */
function act(
  {
    target,
    what,
    ms,
    worker,
  }: Pick<ChaosOptions['disturbances'][number], 'target' | 'what'> & {
    ms: number;
    worker: number;
  },
  stack: Stack,
  handOver: HandOver,
  pauses: Promise<void>[],
): boolean {
  if (target === 'command') {
    if (what === 'kill') return handOver.kill();
    if (!handOver.isRunning) return false;
    pauses.push(handOver.freeze(ms));
    return true;
  }
  const workers = stack.workers[Math.floor(worker * stack.workers.length)];
  const { sandbox, temporal, database } = stack;
  const process: Supervised | undefined = { worker: workers, sandbox, temporal, database }[target];
  if (process === undefined || process.isPaused) return false;
  if (what === 'pause') pauses.push(process.freeze(ms));
  else if (what === 'outage') pauses.push(stack.bank.refuseConnections(ms).catch(() => undefined));
  else pauses.push(kill(stack, process));
  return true;
}

async function kill(stack: Stack, process: Supervised): Promise<void> {
  // What the sandbox has in memory is read first.
  if (process === stack.sandbox) {
    await Promise.allSettled([stack.bank.readLog(), stack.bank.readFaultCounts()]);
  }
  await process.kill();
}
