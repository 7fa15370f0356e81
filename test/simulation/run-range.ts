import type { Hazard } from './hazards/hazards.ts';
import { findMutant } from './mutants/all-mutants.ts';
import { installHooks } from './product-hooks.ts';
import { Random } from './random.ts';
import { prepareProcess, runSeed, type SeedOutcome } from './run-seed.ts';
import { openSimStore } from './sim-store.ts';
import { cachePreparedStatements } from './statement-cache.ts';
import { worldsOf } from './worlds.ts';

/** What one process is asked to run. */
export interface RangeAsked {
  from: number;
  seeds: number;
  /** Runs every `step`-th seed, so that processes share a range evenly. */
  step: number;
  /** Epoch ms of the wall clock after which no further seed begins. */
  until: number | undefined;
  mutant: string | undefined;
  /** End with the first seed that breaks a rule. */
  stopAtFirst: boolean;
  atOnce?: boolean;
  /** Draws only worlds with hazards, or with this one. */
  hazard?: Hazard | 'any' | undefined;
  /** Called with every line of every trace. */
  print?: (line: string) => void;
}

/** Runs seeds in this process, which is then good for nothing else: its clocks and timers are virtual. */
export async function runRange(asked: RangeAsked, report: (outcome: SeedOutcome) => void): Promise<void> {
  const wallClock = Date.now;
  const mutant = asked.mutant === undefined ? undefined : findMutant(asked.mutant);
  const hazard = asked.hazard ?? mutant?.hazard;
  installHooks(mutant);
  prepareProcess();
  cachePreparedStatements();
  const product = await import('./product.ts');
  for (let seed = asked.from; seed < asked.from + asked.seeds; seed += asked.step) {
    if (asked.until !== undefined && wallClock() >= asked.until) break;
    const random = new Random(seed);
    const worlds = { ...worldsOf(seed, random, hazard, mutant?.worlds), atOnce: asked.atOnce === true };
    // Databases of its own: what another seed has left there, order ids of its bank among it, would change the run.
    const stores = [await openSimStore(product)];
    if (worlds.twoStores) stores.push(await openSimStore(product));
    const outcome = await runSeed(seed, { random, worlds, stores }, product, asked.print);
    for (const { store } of stores) await store.close();
    report(outcome);
    if (asked.stopAtFirst && outcome.violations.length > 0) break;
  }
}
