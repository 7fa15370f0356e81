import { check, type Violation } from '../support/checker/check.ts';
import { factsOf } from '../support/checker/facts.ts';
import { isUndecidable } from '../support/checker/liveness.ts';
import type { Observation } from '../support/checker/observation.ts';
import { AtOnce } from './at-once.ts';
import { claimRows } from './claimed-rows.ts';
import { Disturbances } from './disturbances.ts';
import { Comparison } from './hazards/comparison.ts';
import { SecondThoughts } from './hazards/second-thoughts.ts';
import { KillSwitches } from './kill-switches.ts';
import { LateTasks } from './late-tasks.ts';
import { NextGenerations } from './next-generations.ts';
import { observe } from './observe.ts';
import { People } from './people.ts';
import { Rogues } from './rogues.ts';
import { notifyOfExchange } from './shared-exchanges.ts';
import { installGlobals, type Surroundings, VirtualTime } from './virtual-time.ts';
import { type Product, type Setting, World } from './world.ts';

export interface SeedOutcome {
  seed: number;
  violations: Violation[];
  traceHash: string;
  payouts: number;
  /** How many rows ended in each state. */
  ends: Record<string, number>;
  /** Rows with an operator that the oracle calls decidable. */
  decidableParked: number;
  faults: Record<string, number>;
  crashes: number;
  resets: number;
  posts: number;
  virtualMs: number;
}

/** Longest time after the last fault until everything has ended or stays with people. */
const CALM_BOUND_MS = 10 * 3_600_000;
const STEP_MS = 30_000;
/** How long a settled run is watched for what comes late. */
const LATE_MS = 5 * 60_000;

/** Rejections in the product that nobody has handled: in a workflow they fail its task again and again. */
const unhandled: string[] = [];

/** Between two seeds nothing of the product waits for time. */
let current: Surroundings = { time: new VirtualTime(), random: () => 0 };

/** Call once a process, before the product is imported. */
export function prepareProcess(): void {
  installGlobals(() => current);
  process.on('unhandledRejection', (error) => unhandled.push(String(error)));
}

/** Runs one seed to its end and judges it. The same seed, product and planted bug give the same outcome. */
export async function runSeed(
  seed: number,
  setting: Setting,
  product: Product,
  print?: (line: string) => void,
): Promise<SeedOutcome> {
  const world = new World(seed, setting, product, print);
  await claimRows(world, product);
  const { time, random } = world;
  current = { time, random: () => random.next() };
  const disturbances = new Disturbances(world);
  disturbances.start();
  const switches = new KillSwitches(world);
  switches.start();
  const people = new People(world);
  const late = new LateTasks(world, people, disturbances);
  world.whenTaken = (execution, activity, process) => {
    disturbances.whenTaken(process, activity);
    late.whenTaken(execution, activity, process);
    world.senderTaken(execution, activity);
  };
  world.whenPerformed = (execution, activity, process) => {
    world.senderBegins(execution, activity);
    switches.whenPerformed(activity);
    disturbances.whenPerformed(execution, activity, process);
    people.whenPerformed(execution, activity);
    late.whenPerformed(execution, activity, process);
    world.olderCopies.whenPerformed(activity);
    world.rollback.whenPerformed(activity);
  };
  world.whenAsked = (payout, awaited) => late.whenAsked(payout, awaited);
  const thoughts = new SecondThoughts(world);
  const generations = new NextGenerations(world);
  world.whenEnded = (workflowId) => {
    late.whenEnded(workflowId);
    thoughts.whenEnded(workflowId);
    generations.whenEnded(workflowId);
    notifyOfExchange(world, workflowId);
  };
  world.whenRestored = () => {
    switches.storeReplaced();
    disturbances.whenRestored();
  };
  world.whenOutcomeLost = (payout) => people.whenOutcomeLost(payout);
  world.whenSwitchedOn = () => switches.calm();
  world.olderCopies.start();
  world.rollback.start();
  world.secondHome.start();
  const rogues = new Rogues(world);
  rogues.start();
  generations.start();
  const comparison = new Comparison(world);
  comparison.start();
  for (let i = random.between(1, 2); i > 0; i -= 1) world.startProcess();
  for (const payout of world.payouts) time.after(random.between(0, 20_000), () => world.startPayout(payout));
  people.start();
  if (world.worlds.atOnce) new AtOnce(world, people).start();
  await advance(world, random.between(2, 20) * 60_000);
  world.calm();
  disturbances.calm();
  switches.calm();
  const settled = await untilSettled(world, generations);
  const comparedAt = await comparison.last((ms) => advance(world, ms));
  const seen = { disturbances, rogues, switches: switches.spells, settled, comparedAt };
  const observation = await observe(world, seen, CALM_BOUND_MS);
  const violations = [...check(observation), ...unhandled.splice(0).map(unhandledRejection)];
  for (const { invariant, reference, message } of violations)
    world.trace.note(`VIOLATION ${invariant} ${reference}: ${message}`);
  return outcomeOf(seed, world, disturbances, observation, violations);
}

const unhandledRejection = (error: string): Violation => ({
  invariant: 'I13',
  reference: null,
  message: `a rejection that nobody handles: ${error}`,
});

async function advance(world: World, ms: number): Promise<void> {
  const { time } = world;
  await time.run(
    time.now + ms,
    () => false,
    () => world.settle(),
  );
}

/** True once every row has an end or stayed with people for long enough to be read again. */
async function untilSettled(world: World, generations: NextGenerations): Promise<boolean> {
  const { time, settings, payouts } = world;
  const { patienceMs, pollMaxMs } = settings.terms.waits;
  let since: number | undefined;
  for (const until = time.now + CALM_BOUND_MS; time.now < until; ) {
    await advance(world, STEP_MS);
    await generations.adopt();
    if (time.expected > 0 || !(await world.isSettled())) {
      since = undefined;
      continue;
    }
    since ??= time.now;
    const rows = await Promise.all(payouts.map(({ reference }) => world.row(reference)));
    const parked = rows.some((row) => row?.state === 'needs-operator');
    if (time.now - since >= LATE_MS + (parked ? Math.max(patienceMs, pollMaxMs * 12) : 0)) return true;
  }
  return false;
}

function outcomeOf(
  seed: number,
  world: World,
  { crashes, resets }: Disturbances,
  observation: Observation,
  violations: Violation[],
): SeedOutcome {
  const ends: Record<string, number> = {};
  for (const { state } of observation.rows) ends[state] = (ends[state] ?? 0) + 1;
  const facts = factsOf(observation);
  const parked = facts.payouts.filter(({ row }) => row?.state === 'needs-operator');
  return {
    seed,
    violations,
    traceHash: world.trace.digest(),
    payouts: world.payouts.length,
    ends,
    decidableParked: parked.filter((payout) => !isUndecidable(facts, payout)).length,
    faults: Object.fromEntries(world.firedFaults),
    crashes,
    resets,
    posts: observation.posts.length,
    virtualMs: world.time.now - (world.calmFrom ?? 0),
  };
}
