import type { Facts, Violation } from './facts.ts';

/** I19: an execution of somebody else moves nothing and ends nothing, despite all it knows of a payout. */
export function foreignCalls({ foreignCalls: calls }: Facts): Violation[] {
  return calls
    .filter(({ done }) => done)
    .map(({ reference, name }) => ({ invariant: 'I19', reference, message: `${name} was done for somebody else` }));
}
