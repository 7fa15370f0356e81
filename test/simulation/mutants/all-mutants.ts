import { ANSWER_MUTANTS } from './answers.ts';
import { HAZARD_MUTANTS } from './hazards.ts';
import type { Mutant } from './mutant.ts';
import { PEOPLE_MUTANTS } from './people.ts';
import { PROOF_MUTANTS } from './proof.ts';
import { PROTOCOL_MUTANTS } from './protocol.ts';
import { WORLD_MUTANTS } from './worlds.ts';

/** Every planted bug. Those of the money-safety rules keep their numbers (M), ours count on (P). */
export const MUTANTS: readonly Mutant[] = [
  ...PROTOCOL_MUTANTS,
  ...ANSWER_MUTANTS,
  ...PROOF_MUTANTS,
  ...PEOPLE_MUTANTS,
  ...WORLD_MUTANTS,
  ...HAZARD_MUTANTS,
];

export function findMutant(name: string): Mutant {
  const mutant = MUTANTS.find((it) => it.name === name || it.number === name);
  if (mutant === undefined)
    throw new Error(`no planted bug is called ${name}; there are ${MUTANTS.map((it) => it.name).join(', ')}`);
  return mutant;
}
