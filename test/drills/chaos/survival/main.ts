import { commandLine, refuse } from '../../../support/command-line.ts';
import { clusterGround } from '../cluster-ground.ts';
import { shortChaos } from '../options.ts';
import { type ChaosResult, hasFailed, runChaos } from '../run-chaos.ts';
import { clockJumps } from './clock.ts';
import { diskFull } from './disk-full.ts';
import type { ClusterStack, Drill } from './drill.ts';
import { pointInTime } from './point-in-time.ts';
import { databaseRestarted, temporalRestarted, workerStopped } from './restarts.ts';

/**
 * `npm run drill:survival [-- NAME...] [--payouts N] [--seed S]`: each drill on a cluster of its own that pays a file at a
 * sandbox with faults, judged by the bank's books. Exit 0 when nothing was lost, duplicate or untrue.
 */
const DRILLS: readonly Drill[] = [
  databaseRestarted,
  temporalRestarted,
  diskFull,
  clockJumps,
  workerStopped,
  pointInTime,
];

const USAGE = `usage: npm run drill:survival -- [NAME] [--payouts N] [--seed S]
NAME  a drill, or part of its name; default: all of ${DRILLS.map(({ name }) => name).join(', ')}
N     payouts, at least 20; default: 40`;

const { values, positionals } = commandLine(USAGE, {
  allowPositionals: true,
  options: {
    payouts: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
  },
});
const [payouts, seed] = [Number(values.payouts), Number(values.seed)];
const wanted = positionals.join(' ').toLowerCase();
const drills = DRILLS.filter(({ name }) => wanted === '' || name.toLowerCase().includes(wanted));
if (!Number.isSafeInteger(payouts) || payouts < 20 || !Number.isSafeInteger(seed) || drills.length === 0) refuse(USAGE);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** As long as a run of chaos has. The drill is the disturbance, beside some answers that are lost. */
const CALM_BOUND_MS = 240_000;

const needs = drills.map((drill) => needsOf(drill));
const rows: string[] = [];
let failed = false;
for (const [at, drill] of drills.entries()) {
  console.error(`\n${drill.name}: ${drill.what}`);
  const began = performance.now();
  const result = await runDrill(drill, needs[at]);
  failed ||= hasFailed(result);
  rows.push(rowOf(drill, result, performance.now() - began));
  for (const [did, count] of Object.entries(result.disturbances)) console.error(`  ${did}: ${count}`);
  for (const [name, count] of Object.entries(result.ownEnds)) console.error(`  ended unexpectedly: ${name}, ${count}`);
  for (const line of result.unexpected) console.error(`unexpected: ${line}`);
  for (const { evidence, ...violation } of result.verdict.violations)
    console.error(JSON.stringify({ ...violation, evidence }, null, 1));
  if (hasFailed(result)) console.error(`databases and logs: ${result.dir}`);
}
console.log(
  [
    '| drill | payouts | POSTs, answers lost | lost | duplicate | untrue | needs-operator | settled after |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n'),
);
process.exit(failed ? 1 : 0);

function needsOf({ name, needs: ask }: Drill): ReturnType<NonNullable<Drill['needs']>> {
  try {
    return ask?.() ?? {};
  } catch (error) {
    refuse(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

function runDrill(drill: Drill, needed: ReturnType<typeof needsOf> = {}): Promise<ChaosResult> {
  return runChaos({
    ...shortChaos(seed),
    ...{ payouts, calmBoundMs: CALM_BOUND_MS, rate: 0.3 },
    lay: (folder) => clusterGround(folder),
    ...needed,
    drill: (stack, handOver) => drill.run(stack as ClusterStack, handOver),
    say: (line) => console.error(`  ${line}`),
  });
}

function rowOf({ name, what }: Drill, { payouts: count, posts, verdict, calmMs }: ChaosResult, ms: number): string {
  const untrue = verdict.falsePaid + verdict.falseFailed + verdict.otherViolations;
  const operator = Object.values(verdict.parkedBy).reduce((sum, it) => sum + it, 0);
  const cells = [
    `${name}: ${what}`,
    `${count}`,
    `${posts.seen}, ${posts.answerLost}`,
    ...[verdict.lost, verdict.duplicate, untrue].map(String),
    `${operator}`,
    `${Math.round(calmMs / 1_000)} s (drill: ${Math.round(ms / 1_000)} s)`,
  ];
  return `| ${cells.join(' | ')} |`;
}
