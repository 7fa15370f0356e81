import type { Store } from '../../src/store/store.ts';
import { findMutant } from './mutants/all-mutants.ts';
import { installHooks } from './product-hooks.ts';
import { prepareProcess, runSeed, type SeedOutcome } from './run-seed.ts';
import { cachePreparedStatements } from './statement-cache.ts';

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
  /** Called with every line of every trace. */
  print?: (line: string) => void;
}

/** A fresh database now and then: what is open for ever would make every sweep slower. */
const SEEDS_PER_STORE = 50;

/** Runs seeds in this process, which is then good for nothing else: its clocks and timers are virtual. */
export async function runRange(asked: RangeAsked, report: (outcome: SeedOutcome) => void): Promise<void> {
  const wallClock = Date.now;
  installHooks(asked.mutant === undefined ? undefined : findMutant(asked.mutant));
  prepareProcess();
  cachePreparedStatements();
  const product = await import('./product.ts');
  let store: Store | undefined;
  let run = 0;
  for (let seed = asked.from; seed < asked.from + asked.seeds; seed += asked.step) {
    if (asked.until !== undefined && wallClock() >= asked.until) break;
    if (run % SEEDS_PER_STORE === 0) {
      await store?.close();
      store = await product.openStore('file::memory:');
    }
    run += 1;
    const outcome = await runSeed(seed, store as Store, product, asked.print);
    report(outcome);
    if (asked.stopAtFirst && outcome.violations.length > 0) break;
  }
  await store?.close();
}
