import { type Claim, Superseded } from '../../domain/claim.ts';
import type { ActivityDeps } from '../deps.ts';
import { assertItsStore } from '../sending/claimed-row.ts';
import type { Caller } from '../sending/send-once.ts';

/**
 * The same claim under its next term. A worker that stood still while it took a task begins it whenever it goes on, minutes after
 * the task's time is over for the workflow: under the old term nothing of it is recorded or sent any more.
 *
 * @throws WrongWorld in another store, Superseded when the run does not hold the claim
 */
export async function renewClaim(
  { store, now }: ActivityDeps,
  { runId }: Caller,
  { claim }: { claim: Claim },
): Promise<Claim> {
  const { reference, term } = claim;
  await assertItsStore(store, claim);
  const renewed = await store.renewClaim({ reference, term, runId, at: now() });
  if (renewed === undefined) throw new Superseded();
  return { ...claim, term: renewed };
}
