import { type Arm, openArms } from './arms.ts';
import { countsOf, type HistoryCounts } from './history-counts.ts';
import { tallied } from './measured-process.ts';
import type { ArmName, BenchOptions, PlaceName } from './options.ts';
import type { Payment } from './payments.ts';
import { openPlace, type Place } from './place.ts';
import { cpuOfEndedChildren, usageOf } from './process-usage.ts';

/** What one arm took for its payouts in one round; each figure is of one payout where it does not say otherwise. */
export interface Measured extends Partial<HistoryCounts> {
  place: PlaceName;
  settleMs: number;
  /** `--bank`: it settles when it does; so long the arms that ask again and again wait for it. */
  isOtherBank: boolean;
  round: number;
  arm: ArmName;
  payouts: number;
  /** Of all of them. */
  seconds: number;
  /** CPU time in ms; undefined where it cannot be seen. `client`: the process that hands them over, the command of a batch. */
  cpuMs: Partial<Record<'worker' | 'server' | 'database' | 'bank' | 'client', number>>;
  bankCalls: number;
  /** Durable commits of the worker's own store. */
  commits: number;
  /** Resident, of the worker and of the server, at the end. */
  memoryBytes: Partial<Record<'worker' | 'server', number>>;
}

/** Payouts of which the histories are counted. */
const SAMPLE = 10;
/** Before anything is measured, so that code is compiled and connections are open. */
const WARM_UP = 0.25;

/** Every arm once a round, one after the other, in each place and at each time of settlement. `say` is called for each. */
export async function runRounds(
  options: BenchOptions,
  say: (line: string) => void,
): Promise<{ measured: Measured[]; left: string[] }> {
  const measured: Measured[] = [];
  const left = new Set<string>();
  for (const name of options.places) {
    for (const [at, settleMs] of options.settleMs.entries()) {
      const ofThis = (each: readonly number[]): number => each[Math.min(at, each.length - 1)] ?? 1;
      const { rounds, payouts } = options;
      const place = await openPlace(name, settleMs, options);
      try {
        const opened = await openArms(place, options);
        for (const line of opened.left) left.add(`${name}, ${line}`);
        const size = { rounds: ofThis(rounds), payouts: ofThis(payouts) };
        measured.push(...(await roundsIn(place, opened.arms, { ...options, ...size }, say)));
      } finally {
        await place.end();
      }
    }
  }
  return { measured, left: [...left] };
}

async function roundsIn(
  place: Place,
  arms: readonly Arm[],
  options: Omit<BenchOptions, 'rounds' | 'payouts'> & { rounds: number; payouts: number },
  say: (line: string) => void,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  const began = performance.now();
  const next = numbered(options);
  const warmUp = Math.ceil(options.payouts * WARM_UP);
  await Promise.all(arms.map((arm) => arm.pay(next(arm.name, warmUp), options.atOnce)));
  for (let round = 1; round <= options.rounds; round += 1) {
    if (round > 1 && performance.now() - began > options.limitMs) break;
    for (const arm of arms) {
      const one = await measure(place, arm, round, next(arm.name, options.payouts), options.atOnce);
      measured.push(one);
      say(`${place.name}, ${place.settleMs / 1_000} s, round ${round}: ${arm.name} ${one.seconds.toFixed(1)} s`);
    }
  }
  return measured;
}

/**
 * No amount comes twice to the payee: a payout that looks like another one waits for people. Nor does an id: another bank may
 * know those of an earlier run.
 */
function numbered({ payment }: Pick<BenchOptions, 'payment'>): (arm: ArmName, count: number) => Payment[] {
  const run = Date.now().toString(36);
  let minor = 100;
  return (arm, count) =>
    Array.from({ length: count }, () => {
      minor += 1;
      return { ...payment, id: `${arm}-${run}-${minor}`, amount: (minor / 100).toFixed(2) };
    });
}

async function measure(
  place: Place,
  arm: Arm,
  round: number,
  payments: readonly Payment[],
  atOnce: number,
): Promise<Measured> {
  const count = payments.length;
  const before = reading(place, arm);
  const began = performance.now();
  await arm.pay(payments, atOnce);
  const seconds = (performance.now() - began) / 1_000;
  const after = reading(place, arm);
  const each = (a?: number, b?: number): number | undefined =>
    a === undefined || b === undefined ? undefined : (b - a) / count;
  const { server, worker } = after;
  return {
    place: place.name,
    settleMs: place.settleMs,
    isOtherBank: place.isOtherBank,
    round,
    arm: arm.name,
    payouts: count,
    seconds,
    cpuMs: {
      worker: each(before.worker?.cpuMs, worker?.cpuMs),
      server: usesServer(arm) ? each(before.server?.cpuMs, server?.cpuMs) : undefined,
      database: each(before.database?.cpuMs, after.database?.cpuMs),
      bank: each(before.bank?.cpuMs, after.bank?.cpuMs),
      client: (after.clientMs - before.clientMs) / count,
    },
    bankCalls: (after.calls - before.calls) / count,
    commits: (after.commits - before.commits) / count,
    memoryBytes: { worker: worker?.memoryBytes, server: usesServer(arm) ? server?.memoryBytes : undefined },
    ...(await meanCounts(place, arm, payments)),
  };
}

const usesServer = ({ workflowId }: Arm): boolean => workflowId !== undefined;

function reading({ pids, dir }: Place, { worker, meters }: Arm) {
  const of = (pid: number | undefined) => (pid === undefined ? undefined : usageOf(pid));
  const { user, system } = process.cpuUsage();
  const sum = (what: 'calls' | 'commits') => meters.reduce((total, name) => total + tallied(dir, name, what), 0);
  return {
    worker: of(worker.pid),
    server: of(pids.server),
    database: of(pids.database),
    bank: of(pids.bank),
    clientMs: (user + system) / 1_000 + cpuOfEndedChildren(),
    calls: sum('calls'),
    commits: sum('commits'),
  };
}

async function meanCounts({ client }: Place, arm: Arm, payments: readonly Payment[]): Promise<Partial<HistoryCounts>> {
  if (arm.workflowId === undefined) return {};
  const sample = payments.filter((_, n) => n % Math.ceil(payments.length / SAMPLE) === 0);
  const all: HistoryCounts[] = [];
  for (const payment of sample) all.push(await countsOf(client, arm.workflowId(payment)));
  const mean = (of: keyof HistoryCounts): number => all.reduce((sum, counts) => sum + counts[of], 0) / all.length;
  return { events: mean('events'), transitions: mean('transitions'), actions: mean('actions'), bytes: mean('bytes') };
}
