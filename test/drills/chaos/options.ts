import type { Profile } from '../../../src/sandbox/bank/profile.ts';
import { draw } from '../../../src/sandbox/draw.ts';
import { WRITE_KIND_NAMES } from '../../../src/sandbox/faults/faults.ts';
import type { Ground } from './ground.ts';
import type { HandOver } from './hand-over.ts';
import type { Stack } from './stack.ts';
import type { StoredAttempt, StoredAudit } from './stored-tables.ts';

/** Runs lay a cluster of their own, PostgreSQL and Temporal's server, in the place of the dev server and SQLite. */
export const ON_CLUSTER = process.env.PAYOUTS_TEST_CLUSTER !== undefined;

type Target = 'worker' | 'sandbox' | 'temporal' | 'database' | 'command';
type Disturbance = 'kill' | 'pause' | 'outage';

/** One run on the real stack. Everything random follows from the seed; the machine's own timing does not. */
export interface ChaosOptions {
  seed: number;
  payouts: number;
  /** Upper bound of the fault phase. */
  faultPhaseMs: number;
  /** Everything must have ended this long after the last fault. */
  calmBoundMs: number;
  /** Share of POSTs and of GETs that are hit. */
  rate: number;
  readRate: number;
  kinds: readonly (typeof WRITE_KIND_NAMES)[number][];
  /** What is done to which process; how often follows from the weights. */
  disturbances: readonly { weight: number; target: Target; what: Disturbance }[];
  /** Between two disturbances. */
  gapMs: { min: number; max: number };
  pauseMs: { min: number; max: number };
  /** Factor on the product's own waits. */
  timeScale: number;
  say(line: string): void;
  /** What is used, in the place of what `ON_CLUSTER` says. */
  lay?: (dir: string, home: string) => Promise<Ground>;
  /** More of the environment of a process by its name. */
  envOf?: (name: string) => Readonly<Record<string, string>>;
  /** By how much clocks of processes were put ahead or back for a while; more than the run lasts. */
  clocksOffByMs?: number;
  /** What is done, in the place of disturbances by the seed's schedule. */
  drill?: (stack: Stack, handOver: HandOver) => Promise<DrillOutcome>;
}

export interface Forgotten {
  attempts: readonly StoredAttempt[];
  audits: readonly StoredAudit[];
}

/** What a drill did, by name, and when it put an older copy of the store in its place. */
export interface DrillOutcome {
  did: readonly string[];
  restores?: readonly number[];
  /** What was recorded and is not in that copy. */
  forgotten?: Forgotten;
}

const DISTURBANCES: ChaosOptions['disturbances'] = [
  { weight: 5, target: 'worker', what: 'kill' },
  { weight: 3, target: 'worker', what: 'pause' },
  { weight: 3, target: 'sandbox', what: 'kill' },
  { weight: 2, target: 'sandbox', what: 'pause' },
  { weight: 1, target: 'sandbox', what: 'outage' },
  { weight: 2, target: 'temporal', what: 'kill' },
  { weight: 2, target: 'temporal', what: 'pause' },
  { weight: 2, target: 'command', what: 'kill' },
  { weight: 1, target: 'command', what: 'pause' },
  ...(ON_CLUSTER ? [{ weight: 3, target: 'database', what: 'kill' } as const] : []),
];

export function fullChaos(given: { seed: number; payouts: number; minutes: number }): Omit<ChaosOptions, 'say'> {
  return {
    seed: given.seed,
    payouts: given.payouts,
    faultPhaseMs: given.minutes * 60_000,
    calmBoundMs: 240_000,
    rate: 0.35,
    readRate: 0.05,
    kinds: WRITE_KIND_NAMES,
    disturbances: DISTURBANCES,
    gapMs: { min: 500, max: 5_000 },
    pauseMs: { min: 500, max: 20_000 },
    timeScale: TIME_SCALE,
  };
}

/**
 * Small enough for every test run. Without what takes its 30 seconds each: answers that outlast the client's limit, and a
 * worker that dies with a request on its way.
 */
export function shortChaos(seed: number): Omit<ChaosOptions, 'say'> {
  const slow: readonly string[] = ['delay-after', 'late-commit-held', 'slow-after'];
  return {
    ...fullChaos({ seed, payouts: 12, minutes: 0.2 }),
    rate: 0.5,
    // A read that fails is asked again after pauses that grow: none of them is short.
    readRate: 0,
    kinds: WRITE_KIND_NAMES.filter((kind) => !slow.includes(kind)),
    disturbances: DISTURBANCES.filter(({ target, what }) => target !== 'worker' || what === 'pause'),
    gapMs: { min: 1_000, max: 2_500 },
    pauseMs: { min: 500, max: 1_500 },
  };
}

const TIME_SCALE = 0.004;
const MINUTE_MS = 60_000;

/** What the product believes of the bank, scaled, and what the bank keeps to: below it, so that every answer is decidable. */
export function bankTimes({ timeScale }: Pick<ChaosOptions, 'timeScale'>): {
  lateCommitMs: number;
  listLagMs: number;
  bankLateMs: number;
  bankLagMs: number;
} {
  const lateCommitMs = Math.round(10 * MINUTE_MS * timeScale);
  const listLagMs = Math.round(2 * MINUTE_MS * timeScale);
  return {
    lateCommitMs,
    listLagMs,
    bankLateMs: Math.floor(lateCommitMs * 0.8),
    bankLagMs: Math.floor(listLagMs * 0.6),
  };
}

/** The bank of this seed. */
export function profileOf(options: ChaosOptions): Partial<Profile> {
  const ask = (question: string): number => draw(options.seed, 'profile', question);
  const dedupes = ['2003', '2003', 'same-order', 'none', 'none'] as const;
  const dedupe = dedupes[Math.floor(ask('dedupe') * dedupes.length)];
  return {
    dedupe,
    errorStatus: ask('errorStatus') < 0.5 ? 'always-200' : 'matching',
    listLagMs: ask('lag') < 0.5 ? bankTimes(options).bankLagMs : 0,
    pageOrder: ask('order') < 0.5 ? 'newest' : 'oldest',
    pageCap: ask('cap') < 0.5 ? 20 : 100,
    decimals: ask('decimals') < 0.5 ? 'string' : 'number',
  };
}
