import { reported } from './documents.ts';
import { factsOf, type Violation } from './facts.ts';
import { foreignCalls } from './foreign-calls.ts';
import { liveness } from './liveness.ts';
import { money } from './money.ts';
import type { Observation } from './observation.ts';
import { oneOrder } from './one-order.ts';
import { outcomes } from './outcomes.ts';
import { people } from './people.ts';
import { switchedOff } from './switched-off.ts';

export type { Violation } from './facts.ts';

/**
 * Every rule that the run broke, none when it broke none. Independent of the product: nothing of `src` is imported. The
 * invariants are numbered as in the money-safety rules; those about cards, webhooks, leaks and replays have tests of their
 * own and are not here.
 */
export function check(observation: Observation): Violation[] {
  const facts = factsOf(observation);
  return [
    ...oneOrder(facts),
    ...outcomes(facts),
    ...money(facts),
    ...people(facts),
    ...liveness(facts),
    ...switchedOff(facts),
    ...reported(facts),
    ...foreignCalls(facts),
  ];
}
