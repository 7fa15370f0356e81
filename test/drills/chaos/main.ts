import { commandLine, refuse } from '../../support/command-line.ts';
import { fullChaos, shortChaos } from './options.ts';
import { type ChaosResult, hasFailed, runChaos } from './run-chaos.ts';

/**
 * `npm run chaos -- --payouts N --minutes M [--seed S] [--json]`: exit 0 when no rule was broken, 1 when one was. `--short`: the
 * run that the tests make, of that seed.
 */
const USAGE = 'usage: npm run chaos -- --payouts N --minutes M [--seed S] [--short] [--json]';
const { values } = commandLine(USAGE, {
  options: {
    payouts: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: `${Math.floor(Date.now() / 1_000) % 1_000_000}` },
    json: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
  },
});
const [payouts, minutes, seed] = [Number(values.payouts), Number(values.minutes), Number(values.seed)];
if (!Number.isSafeInteger(payouts) || payouts < 1 || !(minutes > 0) || !Number.isSafeInteger(seed)) refuse(USAGE);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const began = performance.now();
const say = (line: string): void =>
  console.error(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
const result = await runChaos({ ...(values.short ? shortChaos(seed) : fullChaos({ payouts, minutes, seed })), say });
console.log(values.json ? JSON.stringify(result, null, 1) : textOf(result));
process.exit(hasFailed(result) ? 1 : 0);

function textOf(it: ChaosResult): string {
  const { verdict } = it;
  const listed = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .sort()
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none';
  return [
    `payouts                  ${it.payouts} (${listed(verdict.byState)})`,
    `bank                     ${JSON.stringify(it.profile)}`,
    `POSTs                    ${it.posts.seen}, with a fault ${it.posts.faulted}; committed with a lost answer ${it.posts.answerLost}`,
    `faults on POSTs          ${listed(it.posts.byKind)}`,
    `faults on GETs           ${listed(it.reads)}`,
    `faults that never fired  ${it.neverFired.join(', ') || 'none'}`,
    `kills and pauses         ${listed(it.disturbances)}`,
    `runs of the command      ${it.commandRuns}`,
    `ended unexpectedly       ${listed(it.ownEnds)}`,
    `fault phase, settling    ${it.faultPhaseMs} ms, ${it.calmMs} ms`,
    `lost                     ${verdict.lost}`,
    `duplicate                ${verdict.duplicate}`,
    `false paid               ${verdict.falsePaid}`,
    `false failed             ${verdict.falseFailed}`,
    `false needs-operator     ${verdict.parkedThoughDecidable} (rightly ${verdict.parkedRightly}; ${listed(verdict.parkedBy)})`,
    `other violations         ${verdict.otherViolations}`,
    ...it.unexpected.map((line) => `unexpected               ${line}`),
    ...verdict.violations.map(({ evidence, ...violation }) =>
      [
        `VIOLATION ${violation.invariant} ${violation.reference ?? ''}: ${violation.message}`,
        JSON.stringify(evidence, null, 1),
      ].join('\n'),
    ),
    ...(hasFailed(it) ? [`databases and logs: ${it.dir}`] : []),
    `repeat: npm run chaos -- ${values.short ? '--short' : `--payouts ${it.payouts} --minutes ${minutes}`} --seed ${it.seed}`,
  ].join('\n');
}
