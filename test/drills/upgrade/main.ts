import { rmSync } from 'node:fs';
import { commandLine, refuse } from '../../support/command-line.ts';
import { type DrillResult, runDrill } from './drill.ts';

/** `npm run drill:upgrade -- --payouts N [--json]`: exit 0 when nothing was lost or changed on the way, 1 when something was. */
const USAGE = 'usage: npm run drill:upgrade -- --payouts N [--json]    N from 2 on';
const { values } = commandLine(USAGE, {
  options: { payouts: { type: 'string', default: '1000' }, json: { type: 'boolean', default: false } },
});
const payouts = Number(values.payouts);
if (!Number.isSafeInteger(payouts) || payouts < 2) refuse(USAGE);
/** A poll, a read and a stored end take seconds; what a killed worker held is given out again after some more. */
const LATE_MS = 60_000;

const began = performance.now();
const say = (line: string): void =>
  console.error(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
const result = await runDrill({ payouts, say });
console.log(values.json ? JSON.stringify(result, null, 1) : textOf(result));
if (!hasFailed(result)) rmSync(result.dir, { recursive: true });
process.exit(hasFailed(result) ? 1 : 0);

function hasFailed({
  nondeterminism,
  strayed,
  rowsChanged,
  notCompleted,
  ordersWrong,
  lateness,
}: DrillResult): boolean {
  return nondeterminism + strayed + rowsChanged + notCompleted + ordersWrong > 0 || lateness.most > LATE_MS;
}

function textOf({ dir, open, gate, lateness, ...counts }: DrillResult): string {
  return [
    `payouts             ${counts.payouts}, ${open} of them open at the rollout`,
    `replay              ${gate.replayedBefore} of ${gate.pulled} histories with the previous build, ${gate.replayedAfter} with the new one`,
    `nondeterminism      ${counts.nondeterminism}`,
    `under another build ${counts.strayed}`,
    `rows changed        ${counts.rowsChanged}`,
    `not completed       ${counts.notCompleted}`,
    `not exactly 1 order ${counts.ordersWrong}`,
    `delay of ends       median ${lateness.median} ms, at most ${lateness.most} ms`,
    ...(hasFailed(result) ? [`databases and logs  ${dir}`] : []),
  ].join('\n');
}
