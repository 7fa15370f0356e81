import { type Command, readCommand, USAGE } from './command-line.ts';
import { eachWith, runInChild } from './jobs.ts';
import { findMutant, MUTANTS } from './mutants/all-mutants.ts';
import type { Mutant } from './mutants/mutant.ts';
import { plant } from './product-hooks.ts';
import { type Caught, commandFor, mutantTable, summaryOf, summaryText } from './report.ts';
import { runRange } from './run-range.ts';
import type { SeedOutcome } from './run-seed.ts';

/** `npm run simulate`: seeded runs of the product's decision core in virtual time, judged by the independent checker. */
async function main(args: readonly string[]): Promise<number> {
  let command: Command;
  try {
    command = readCommand(args);
    if (command.mutant !== undefined) plant(findMutant(command.mutant));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}\n`);
    return 2;
  }
  if (command.seed !== undefined) return oneSeed(command, command.seed);
  return command.mutants ? allMutants(command) : manySeeds(command);
}

async function oneSeed({ mutant, json, atOnce, hazard }: Command, seed: number): Promise<number> {
  const print = json ? undefined : (line: string): void => void process.stdout.write(`${line}\n`);
  let found: SeedOutcome | undefined;
  await runRange(
    { from: seed, seeds: 1, step: 1, until: undefined, mutant, stopAtFirst: true, atOnce, hazard, print },
    (outcome) => {
      found = outcome;
    },
  );
  if (found === undefined) throw new Error(`seed ${seed} was not run`);
  process.stdout.write(json ? `${JSON.stringify(found)}\n` : `trace ${found.traceHash}\n`);
  for (const { invariant, reference, message } of json ? [] : found.violations) {
    process.stdout.write(`${invariant} ${reference ?? ''}: ${message}\n`);
  }
  return found.violations.length > 0 ? 1 : 0;
}

async function manySeeds({ seeds, from, seconds, jobs, mutant, json, atOnce, hazard }: Command): Promise<number> {
  const begun = Date.now();
  const until = seconds === undefined ? undefined : begun + seconds * 1_000;
  const outcomes: SeedOutcome[] = [];
  const lanes = Array.from({ length: jobs }, (_, lane) => lane);
  await Promise.all(
    lanes.map((lane) =>
      runInChild(
        {
          from: from + lane,
          seeds: seeds - lane,
          step: jobs,
          until,
          mutant,
          stopAtFirst: mutant !== undefined,
          atOnce,
          hazard,
        },
        (outcome) => outcomes.push(outcome),
      ),
    ),
  );
  const summary = summaryOf(outcomes, Date.now() - begun, { mutant, atOnce, hazard });
  process.stdout.write(json ? `${JSON.stringify(summary)}\n` : `${summaryText(summary)}\n`);
  return summary.violations.length > 0 ? 1 : 0;
}

async function allMutants({ seeds, from, jobs, json, hazard }: Command): Promise<number> {
  for (const mutant of MUTANTS) plant(mutant);
  const caught: Caught[] = [];
  await eachWith(MUTANTS, jobs, async (mutant) => {
    const found = await hunt(mutant, { from, seeds, hazard });
    caught.push(found);
    const how =
      found.by === null
        ? 'NOT CAUGHT'
        : `${found.by.invariants.join(', ')}: ${commandFor(found.by.seed, { mutant: mutant.name, hazard })}`;
    process.stderr.write(`${mutant.number} ${mutant.name}: ${how}\n`);
  });
  const table = MUTANTS.flatMap(({ name }) => caught.filter((it) => it.name === name));
  process.stdout.write(json ? `${JSON.stringify(table)}\n` : `${mutantTable(table)}\n`);
  return table.every(({ by }) => by !== null) ? 0 : 1;
}

async function hunt(
  { number, name, what }: Mutant,
  asked: Pick<Command, 'from' | 'seeds' | 'hazard'>,
): Promise<Caught> {
  let run = 0;
  let by: Caught['by'] = null;
  await runInChild({ ...asked, step: 1, until: undefined, mutant: name, stopAtFirst: true }, ({ seed, violations }) => {
    run += 1;
    if (violations.length === 0) return;
    const invariants = [...new Set(violations.map(({ invariant }) => invariant))];
    by = { seed, invariants, message: violations[0]?.message ?? '' };
  });
  return { number, name, what, by, seeds: run };
}

process.exitCode = await main(process.argv.slice(2));
